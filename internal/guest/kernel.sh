#!/bin/sh
# usage: kernel.sh CONFIG
# Prints the path of the guest's kernel, and builds it where the cache has none. Installs what that and
# the guest need. Exit status 77: this machine cannot; the last line on stderr says why.
set -eu
config=$1

cannot() {
	echo "$*" >&2
	exit 77
}

[ "$(uname -s)/$(uname -m)" = Linux/x86_64 ] || cannot "the guest runs on Linux/x86_64, this is $(uname -s)/$(uname -m)"
[ "$(id -u)" = 0 ] || cannot "the guest's tap and namespaces need root"
[ -c /dev/net/tun ] || cannot "no /dev/net/tun for the guest's tap"

packages="linux-source-6.1 make gcc libc6-dev bc flex bison libelf-dev xz-utils libibverbs-dev ibverbs-providers rdma-core
	busybox-static iproute2 util-linux"
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
kernel=$cache/uml-$version-$(sha256sum "$config" | cut -c1-12)
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9 # one build at a time
if [ ! -x "$kernel" ]; then
	[ "$(df --output=avail -m "$cache" | tail -1)" -gt 2500 ] || cannot "$cache: less than 2.5 GB free to build the guest's kernel"
	work=$(mktemp -d "$cache/build.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM
	started=$(date +%s)
	echo "kernel: building $version, once: about 4 minutes on two free cores" >&2
	tar -xf /usr/src/linux-source-6.1.tar.xz -C "$work" --strip-components=1
	build() { nice -n 15 make -C "$work" ARCH=um -j2 "$@" >>"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }; }
	build allnoconfig KCONFIG_ALLCONFIG="$(realpath "$config")"
	for option in $(grep -o '^CONFIG_[A-Z0-9_]*=[^ ]*' "$config"); do
		grep -qx "$option" "$work/.config" || { echo "$config: this kernel does not take $option" >&2; exit 1; }
	done
	build linux
	strip -o "$work/stripped" "$work/linux"
	mv "$work/stripped" "$kernel"
	echo "kernel: built in $(($(date +%s) - started)) s" >&2
fi
echo "$kernel"
