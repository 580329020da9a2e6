#!/bin/sh
# usage: PACKAGES=... kernel.sh NAME CONFIG IMAGE MAKE-ARGUMENT...
# Prints the path of a guest's kernel, and builds it where the cache has none. IMAGE is the file that
# make leaves. Installs what the build and the guest need: PACKAGES. Exit status 77: this machine
# cannot; the last line on stderr says why.
set -eu
name=$1 config=$2 image=$3
shift 3

cannot() {
	echo "$*" >&2
	exit 77
}

if [ "$name" = uml ]; then
	[ "$(uname -s)/$(uname -m)" = Linux/x86_64 ] || cannot "the guest runs on Linux/x86_64, this is $(uname -s)/$(uname -m)"
	[ "$(id -u)" = 0 ] || cannot "the guest's tap and namespaces need root"
	[ -c /dev/net/tun ] || cannot "no /dev/net/tun for the guest's tap"
fi

packages="linux-source-6.1 make gcc libc6-dev bc flex bison libelf-dev xz-utils $PACKAGES"
installed() {
	# Once a package, which may be there for several architectures.
	# shellcheck disable=SC2086 # a list
	[ "$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $packages 2>/dev/null | sort -u | grep -c ' installed$')" = "$(echo $packages | wc -w)" ]
}
if ! installed; then
	command -v apt-get >/dev/null || cannot "no apt-get to install:" $packages
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086
	{ apt-get update -qq && apt-get install -qq -y --no-install-recommends $packages; } >&2 || cannot "apt-get could not install:" $packages
fi

version=$(dpkg-query -W -f '${Version}' linux-source-6.1)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/dpukv
kernel=$cache/$name-$version-$(sha256sum "$config" | cut -c1-12)
if [ -s "$kernel" ]; then # no wait for the build of another one
	echo "$kernel"
	exit
fi
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9 # one build at a time
if [ ! -s "$kernel" ]; then
	[ "$(df --output=avail -m "$cache" | tail -1)" -gt 2500 ] || cannot "$cache: less than 2.5 GB free to build the guest's kernel"
	work=$(mktemp -d "$cache/build.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM
	started=$(date +%s)
	echo "kernel: building $version, once: about 4 minutes on two free cores" >&2
	tar -xf /usr/src/linux-source-6.1.tar.xz -C "$work" --strip-components=1
	build() { nice -n 15 make -C "$work" -j"$(nproc)" "$@" >>"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }; }
	build "$@" allnoconfig KCONFIG_ALLCONFIG="$(realpath "$config")"
	for option in $(grep -o '^CONFIG_[A-Z0-9_]*=[^ ]*' "$config"); do
		grep -qx "$option" "$work/.config" || { echo "$config: this kernel does not take $option" >&2; exit 1; }
	done
	build "$@" "$(basename "$image")"
	[ "$name" != uml ] || strip "$work/$image"
	mv "$work/$image" "$kernel"
	echo "kernel: built in $(($(date +%s) - started)) s" >&2
fi
echo "$kernel"
