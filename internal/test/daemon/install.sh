#!/bin/sh
# Installs what the tests of this folder's users start, if it is not there: with apt-get, as root. Without either,
# those tests are skipped.
#
# The packages would have their servers run as the system's own, now and from the next boot on. Both is prevented: no sshd,
# memcached or Redis listens on this machine but those of the tests.
set -eu
PATH=$PATH:/usr/sbin
packages=
need() { command -v "$1" >/dev/null || packages="$packages $2"; }
need ssh openssh-client
need sshd openssh-server
need munged munge
need slurmctld slurmctld
need slurmd slurmd
need srun slurm-client
need memcached memcached
need redis-server redis-server
need redis-benchmark redis-tools
need memcaslap libmemcached-tools
for shell in zsh fish tcsh; do need $shell $shell; done # login shells that nodes may have
[ -n "$packages" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo "not installed, so tests that need them are skipped:$packages" >&2
	exit 0
fi

policy=/usr/sbin/policy-rc.d # asked by invoke-rc.d and deb-systemd-invoke before they start anything
if [ ! -e $policy ]; then
	trap 'rm -f $policy' EXIT
	trap 'exit 1' HUP INT TERM
	printf '#!/bin/sh\nexit 101\n' >$policy
	chmod 755 $policy
fi
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $packages
if command -v systemctl >/dev/null; then
	for package in $packages; do
		case $package in
		openssh-server)
			systemctl disable ssh.service
			systemctl disable ssh.socket 2>/dev/null || true # some have it
			;;
		munge | slurmctld | slurmd | memcached | redis-server) systemctl disable $package.service ;;
		esac
	done
fi
