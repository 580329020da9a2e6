#!/bin/busybox sh
# The guest's first process: mounts, an address, the soft-RoCE device, then the job. The
# kernel's command line says what: job=SCRIPT [net=DEVICE addr=A.B.C.D/N mtu=N]

# The exit status of the machine is not the job's, so it is printed. First processes must not end.
finish() {
	printf "\nguest: job ended with status %s\n" $? # the console may stand in the midst of a line
	/bin/busybox poweroff -f
}
trap finish EXIT
set -e

# Busybox finds its own commands by /proc/self/exe, and here that is still the machine's: the kernel.
/bin/busybox mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm
mount -t tmpfs tmp /dev/shm
mount -t tmpfs tmp /run
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/dev/shm TMPDIR=/dev/shm
cd /dev/shm

for word in $(cat /proc/cmdline); do
	case $word in job=* | net=* | addr=* | mtu=*) export "$word" ;; esac
done
ip link set lo up
if [ -n "${net-}" ]; then
	ip address add "$addr" dev "$net"
	ip link set "$net" mtu "$mtu" up
	rdma link add rxe0 type rxe netdev "$net"
	# The GID table follows the addresses a moment later: row 0 is link-local, row 1 the address.
	for i in $(seq 50); do
		grep -qs ffff /sys/class/infiniband/rxe0/ports/1/gids/1 && break
		sleep 0.1
	done
fi

# Not busybox's shell, which prefers its own commands to those of the system.
/bin/sh "$job"
