#!/bin/sh
# Installs what forwards in the on-path submodes of plain Linux, from Debian or what has its packages. None of it is
# started: each submode starts its own, and the system's Open vSwitch, if there is one, is left alone.
set -eu
packages="openvswitch-switch openvswitch-switch-dpdk dpdk-dev librte-net-af-packet23 librte-net-af-xdp23
	ethtool iproute2 nftables procps util-linux iputils-ping"
# Once a package, which may be there for several architectures.
# shellcheck disable=SC2086 # a list
if [ "$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $packages 2>/dev/null | sort -u | grep -c ' installed$')" = "$(echo $packages | wc -w)" ]; then
	exit 0
fi
command -v apt-get >/dev/null || { echo "no apt-get to install:" $packages >&2; exit 1; }
policy=/usr/sbin/policy-rc.d # asked by packages whether their services may be started
if [ ! -e $policy ]; then
	trap 'rm -f $policy' EXIT
	trap 'exit 1' HUP INT TERM
	printf '#!/bin/sh\nexit 101\n' >$policy
	chmod 755 $policy
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -qq -y --no-install-recommends $packages
