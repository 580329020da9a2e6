#!/bin/sh
# arm64.sh COMMAND... runs a command in which programs for arm64 run as if they were this machine's own, under qemu-user.
#
# The kernel is told so (binfmt_misc) in a user namespace that ends with the command: nothing on the machine
# changes, and no root is needed. Flag P hands argv[0] on, by which test binaries know what they are to be;
# flag F opens the emulator now, so that it is found behind a chroot too. The process namespace takes
# stray processes with it. The network is a loopback alone, and its own: who makes network namespaces must be able to return.
set -eu
if [ "${1-}" = --inside ]; then
	shift
	magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
	mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
	mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>/dev/null || {
		echo "arm64.sh: found a kernel that keeps one binfmt_misc for all (before Linux 6.7); wanted one of a user namespace's own: use a newer kernel, or an arm64 machine" >&2
		exit 3
	}
	printf '%s' ":dpukv-arm64:M::$magic:$mask:$(command -v qemu-aarch64-static):PF" >/proc/sys/fs/binfmt_misc/register
	ip link set lo up
	# qemu-user keeps records of the memory that its guest maps: a test that maps too much is to fail, not to take the machine along.
	ulimit -d 8000000
	exec "$@"
fi
command -v qemu-aarch64-static >/dev/null || {
	echo "arm64.sh: found no qemu-aarch64-static: apt-get install qemu-user-static" >&2
	exit 3
}
command -v ip >/dev/null || {
	echo "arm64.sh: found no ip: apt-get install iproute2" >&2
	exit 3
}
exec unshare --user --map-root-user --net --mount --pid --fork --kill-child --mount-proc "$0" --inside "$@"
