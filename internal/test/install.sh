#!/bin/sh
# install.sh STAGE... installs what tests need beside Go, with apt-get and as root. Without either, it
# names what is missing; the tests skip what needs it, and CI fails on such a skip
# (internal/test/skips). The stages are test (all of make test), full, arm64, kube and bench.
#
# Debian's packages would start their servers, now and at the next boot. This script prevents both:
# no sshd, etcd, containerd, memcached, Redis or Open vSwitch runs on this machine but those of the
# tests.
set -eu
PATH=$PATH:/usr/sbin:/sbin
packages=
stages=" $* "
# need STAGE FILE PACKAGE WHY: FILE is a program's name, or a path.
need() {
	case $stages in *" $1 "*) ;; *) return 0 ;; esac
	case $2 in
	/*) [ -e "$2" ] ;;
	*) command -v "$2" >/dev/null ;;
	esac || packages="$packages $3"
}

# With all of "test", a bare Debian 12 grows by about 910 MB, of which Chromium is 730 MB.
need test chromium chromium 'the pages that reports are, in a browser'
need test python3 python3 'a client in another language'
need test ip iproute2 'networks of emulated machines'
need test ping iputils-ping 'networks of emulated machines'
need test nft nftables 'a firewall between emulated machines'
need test ethtool ethtool 'offloads of emulated cables'
need test unshare util-linux 'namespaces'
need test ps procps 'what is left of processes'
need test sudo sudo 'the rights of a user of a DPU'
need test ovs-vswitchd openvswitch-switch 'a database of Open vSwitch'
need test ssh openssh-client 'nodes over ssh'
need test sshd openssh-server 'nodes over ssh'
need test munged munge 'nodes of a Slurm job'
need test slurmctld slurmctld 'nodes of a Slurm job'
need test slurmd slurmd 'nodes of a Slurm job'
need test srun slurm-client 'nodes of a Slurm job'
need test kubectl kubernetes-client 'what kubectl says without a cluster'
for shell in bash zsh fish tcsh; do need test $shell $shell 'the login shells that nodes may have'; done
need test memcached memcached 'a store that others wrote'
need test redis-server redis-server 'a store that others wrote'
need test iperf3 iperf3 'the probe of a network'

need full gcc 'gcc libc6-dev' 'the race detector; loops in C beside those of Go'
need full tshark tshark 'whether others understand the packets of soft-RoCE'
need full qemu-aarch64-static qemu-user-static 'hash functions of arm64'
need full llvm-mca-19 llvm-19 'the model of Cortex-A72 and A78'
need full g++ g++ 'the C hash functions that Debian has'
need full /usr/include/xxhash.h libxxhash-dev 'a C hash function'
need full /usr/include/farmhash.h libfarmhash-dev 'a C hash function'
need full /usr/include/highwayhash libhighwayhash-dev 'a C hash function'
need full /usr/include/openssl/md5.h libssl-dev 'a C hash function'

need arm64 qemu-aarch64-static qemu-user-static 'programs for arm64'
need arm64 /lib/ld-linux-aarch64.so.1 libc6:arm64 'the dynamic linker of such programs'
need arm64 ip iproute2 'the network that they see'

need kube etcd etcd-server 'the state of the API server'
need kube containerd containerd 'the containers of a pod'
need kube runc runc 'the containers of a pod'
need kube busybox busybox-static 'what runs in a pod'
need kube kubectl kubernetes-client 'the client'
need kube openssl openssl 'the keys of the API server'

need bench redis-benchmark redis-tools 'the yardstick beside Redis'
need bench memcaslap libmemcached-tools 'the yardstick beside memcached'

[ -n "$packages" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo "not installed, so tests that need them are skipped (root installs them on Debian):$packages" >&2
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
