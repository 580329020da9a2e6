#!/bin/sh
# Installs what the tests need beside Go, with apt-get and as root. Without either, it names what is
# missing; the tests skip what needs it. CI fails on such a skip (internal/test/skips).
#
# Debian's packages would start their servers, now and at the next boot. This script prevents both:
# no sshd, etcd, containerd, memcached, Redis or Open vSwitch runs on this machine but those of the
# tests.
set -eu
PATH=$PATH:/usr/sbin:/sbin
packages=
need() { command -v "$1" >/dev/null || packages="$packages $2"; }
need_file() { [ -e "$1" ] || packages="$packages $2"; }

need gcc 'gcc libc6-dev' # the race detector, the client library of verbs
need python3 python3     # a client in another language
need chromium chromium   # the report's page
need qemu-aarch64-static qemu-user-static
# The dynamic linker of arm64, for programs under qemu-user.
need_file /lib/ld-linux-aarch64.so.1 libc6:arm64
need llvm-mca-19 llvm-19 # the model of Cortex-A72 and A78
# The C hash functions that Debian has.
need g++ g++
need_file /usr/include/xxhash.h libxxhash-dev
need_file /usr/include/farmhash.h libfarmhash-dev
need_file /usr/include/highwayhash libhighwayhash-dev
need_file /usr/include/openssl/md5.h libssl-dev
# Emulated machines and their networks.
need ip iproute2
need ping iputils-ping
need nft nftables
need ethtool ethtool
need unshare util-linux
need ps procps
need sudo sudo # the rights of a DPU's user
need ovs-vswitchd openvswitch-switch
need tshark tshark
# The launchers, and the login shells that nodes may have.
need ssh openssh-client
need sshd openssh-server
need munged munge
need slurmctld slurmctld
need slurmd slurmd
need srun slurm-client
need kubectl kubernetes-client
need etcd etcd-server
need containerd containerd
need runc runc
need openssl openssl
for shell in bash zsh fish tcsh; do need $shell $shell; done
need busybox busybox-static
# Other stores.
need memcached memcached
need redis-server redis-server
need redis-benchmark redis-tools
need memcaslap libmemcached-tools
# Programs of probes.
need iperf3 iperf3

[ -n "$packages" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo "not installed, so tests that need them are skipped:$packages" >&2
	exit 0
fi

policy=/usr/sbin/policy-rc.d # invoke-rc.d and deb-systemd-invoke ask it before they start a server
if [ ! -e $policy ]; then
	trap 'rm -f $policy' EXIT
	trap 'exit 1' HUP INT TERM
	printf '#!/bin/sh\nexit 101\n' >$policy
	chmod 755 $policy
fi
export DEBIAN_FRONTEND=noninteractive # tshark would ask who may capture packets
case $packages in *:arm64*) dpkg --add-architecture arm64 ;; esac
apt-get update -q
# shellcheck disable=SC2086 # a list
apt-get install -qy --no-install-recommends $packages
if command -v systemctl >/dev/null; then
	for package in $packages; do
		case $package in
		openssh-server)
			systemctl disable ssh.service
			systemctl disable ssh.socket 2>/dev/null || true # some have it
			;;
		munge | slurmctld | slurmd | memcached | redis-server | openvswitch-switch | containerd | iperf3)
			systemctl disable $package.service
			;;
		etcd-server) systemctl disable etcd.service ;;
		esac
	done
fi
