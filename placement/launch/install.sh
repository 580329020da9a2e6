# Puts dpukv into the cache of this user on this node; see install.go for the other end.
set -eu
export LC_ALL=C
fail() {
	echo "install.sh: $*" >&2
	exit 1
}
digest() { sha256sum <"$1" | cut -d' ' -f1; }

# The C library decides which build runs here. musl's getconf knows no such name.
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p') || glibc=
loaders=
for loader in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1 /lib/ld-musl-*.so.1; do
	[ ! -e "$loader" ] || loaders="$loaders $loader"
done
echo "machine $(uname -m) ${glibc:--}$loaders"
read -r want
cache=${XDG_CACHE_HOME:-${HOME:?is not set: set it, or XDG_CACHE_HOME, or put dpukv there yourself}/.cache}/dpukv/bin
dir=$cache/$want
if [ -x "$dir/dpukv" ] && [ "$(digest "$dir/dpukv")" = "$want" ]; then
	touch "$dir"
	echo "have $dir/dpukv"
	exit
fi

mkdir -p "$dir"
temporary=$(mktemp "$dir/.copy.XXXXXX")
trap 'rm -f "$temporary"' EXIT
trap 'exit 1' HUP INT PIPE TERM
echo send
cat >"$temporary"
[ "$(digest "$temporary")" = "$want" ] || fail "what arrived is not what was sent: the connection was cut"
chmod 755 "$temporary"
"$temporary" --help >/dev/null || fail "dpukv does not run here"
mv -f "$temporary" "$dir/dpukv"
echo "have $dir/dpukv"

# What nobody used for a month, and what a killed copy left, goes.
find "$cache" -mindepth 1 -maxdepth 1 -type d -mtime +30 -exec rm -rf {} +
find "$cache" -name '.copy.*' -mmin +60 -exec rm -f {} +
