package cardreport

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dpukv/placement/submode/card"
)

// Probe is a command that changes nothing.
type Probe struct {
	Name string   // unique; the name of its files
	Run  []string // the command
	Root bool     // it fails without root's rights
}

func shell(name, script string) Probe {
	return Probe{Name: name, Run: []string{"sh", "-c", script}}
}

func asRoot(p Probe) Probe {
	p.Root = true
	return p
}

// The names of probes that Parse reads.
const (
	idProbe       = "id"
	releaseProbe  = "os-release"
	imageProbe    = "bluefield-image"
	kernelProbe   = "kernel"
	pageProbe     = "page-size"
	poolsProbe    = "huge-pages"
	memlockProbe  = "memlock"
	verbsProbe    = "ibverbs-library"
	linksProbe    = "ip-link"
	addressProbe  = "ip-address"
	portsProbe    = "port-names"
	driversProbe  = "drivers"
	gidsProbe     = "gids"
	devicesProbe  = "rdma-devices"
	loginProbe    = "login"
	ovsProbe      = "ovs-version"
	serviceProbe  = "ovs-service"
	bridgesProbe  = "ovs-bridges"
	configProbe   = "ovs-config"
	datapathProbe = "ovs-datapaths"

	modeProbe    = "mode-"    // and the card's PCI address
	eswitchProbe = "eswitch-" // the same
	roceProbe    = "roce-"    // the same
	configsProbe = "mlxconfig-"
	orderProbe   = "order-"
)

// everywhere are the probes of any node. Each output has one fact a line.
var everywhere = []Probe{
	{Name: idProbe, Run: []string{"id", "-u"}},
	shell(releaseProbe, `cat /etc/os-release`),
	shell(imageProbe, `cat /etc/mlnx-release /etc/bf-release`),
	{Name: kernelProbe, Run: []string{"uname", "-srm"}},
	{Name: "kernel-command-line", Run: []string{"cat", "/proc/cmdline"}},
	{Name: pageProbe, Run: []string{"getconf", "PAGESIZE"}},
	shell(poolsProbe, `cd /sys/kernel/mm/hugepages && grep . */nr_hugepages */free_hugepages`),
	shell("hugetlbfs", `grep hugetlbfs /proc/mounts`),
	shell("thp", `cd /sys/kernel/mm/transparent_hugepage && grep . enabled hpage_pmd_size`),
	shell(memlockProbe, `ulimit -l`),
	shell(verbsProbe, `ldconfig -p 2>/dev/null | grep libibverbs || PATH=$PATH:/sbin:/usr/sbin `+
		`ldconfig -p | grep libibverbs`),
	shell("glibc", `ldd --version | head -n 1`),
	{Name: linksProbe, Run: []string{"ip", "-d", "-j", "link", "show"}},
	{Name: addressProbe, Run: []string{"ip", "-j", "address", "show"}},
	{Name: "ip-route", Run: []string{"ip", "-j", "route", "show"}},
	{Name: "ip-neighbour", Run: []string{"ip", "-j", "neighbour", "show"}},
	shell(portsProbe, `cd /sys/class/net && grep -s . */phys_port_name */phys_switch_id || :`),
	shell(driversProbe, `cd /sys/class/net && for i in *; do test -e "$i/device" || continue; `+
		`echo "$i $(basename "$(readlink -f "$i/device/driver")") $(cat "$i/speed" 2>/dev/null)"; done`),
	shell(gidsProbe, `cd /sys/class/infiniband 2>/dev/null || exit 0; for g in */ports/*/gids/*; do `+
		`v=$(cat "$g" 2>/dev/null) || continue; case $v in 0000:0000:0000:0000:0000:0000:0000:0000) `+
		`continue;; esac; a=${g%%/gids/*}/gid_attrs; n=${g##*/}; `+
		`echo "$g $v $(cat "$a/types/$n" 2>/dev/null | tr ' ' _) $(cat "$a/ndevs/$n" 2>/dev/null)"; done`),
	shell(devicesProbe, `cd /sys/class/infiniband 2>/dev/null || exit 0; grep -s . */fw_ver `+
		`*/board_id */hca_type */ports/*/state */ports/*/rate */ports/*/link_layer || :`),
	shell("pci", `lspci -nn -d 15b3: || grep -l 0x15b3 /sys/bus/pci/devices/*/vendor`),
	asRoot(shell("pci-details", `lspci -vv -d 15b3:`)),
	{Name: "devlink", Run: []string{"devlink", "dev", "show"}},
	asRoot(Probe{Name: "devlink-info", Run: []string{"devlink", "dev", "info"}}),
	{Name: "devlink-ports", Run: []string{"devlink", "port", "show"}},
	asRoot(shell("mst", `mst status -v`)),
	shell("tools", `for t in mlxconfig mst devlink ethtool tc bridge ovs-vsctl ovs-appctl `+
		`dpdk-testpmd /opt/mellanox/dpdk/bin/dpdk-testpmd perf numactl; do command -v $t || echo "no $t"; done`),
	shell("packages", `dpkg-query -W -f '${Package} ${Version}\n' 2>/dev/null | grep -E 'openvswitch|dpdk|doca|mlnx|mft|rdma|ibverbs|linux-bluefield' || `+
		`rpm -qa 2>/dev/null | grep -E 'openvswitch|dpdk|doca|mlnx|mft|rdma|ibverbs'`),
	shell("services", `systemctl list-units --no-pager --plain --no-legend `+
		`'openvswitch*' 'ovs*' 'mlx*' 'opensm*' 'irqbalance*' 'rshim*'`),
	{Name: ovsProbe, Run: []string{"ovs-vsctl", "--version"}},
	shell(serviceProbe, `for s in openvswitch-switch openvswitch; do `+
		`echo "$s $(systemctl is-active "$s" 2>/dev/null || :)"; done`),
	shell(bridgesProbe, `b=$(ovs-vsctl --timeout=5 list-br) || exit; for b in $b; do `+
		`echo "$b $(ovs-vsctl --timeout=5 get bridge "$b" datapath_type) `+
		`$(ovs-vsctl --timeout=5 list-ports "$b" | tr '\n' ' ')"; done`),
	{
		Name: configProbe,
		Run:  []string{"ovs-vsctl", "--timeout=5", "get", "Open_vSwitch", ".", "other_config"},
	},
	shell("ovs-show", `ovs-vsctl --timeout=5 show; ovs-vsctl --timeout=5 list Bridge`),
	shell("ovs-switch", `ovs-vsctl --timeout=5 list Open_vSwitch`),
	shell("ovs-interfaces", `ovs-vsctl --timeout=5 list Interface`),
	shell("ovs-ports", `ovs-vsctl --timeout=5 list Port`),
	asRoot(shell(datapathProbe, `ovs-appctl --timeout=5 dpif/show`)),
	asRoot(shell("ovs-flows", `for d in $(ovs-appctl --timeout=5 dpctl/dump-dps); do echo "# $d"; `+
		`ovs-appctl --timeout=5 dpctl/show "$d"; ovs-appctl --timeout=5 dpctl/offload-stats-show "$d"; `+
		`ovs-appctl --timeout=5 dpctl/dump-flows -m "$d" type=all | head -n 200; done`)),
	asRoot(shell("ovs-pmd", `ovs-appctl --timeout=5 dpif-netdev/pmd-stats-show; `+
		`ovs-appctl --timeout=5 dpif-netdev/pmd-perf-show`)),
	asRoot(shell("ovs-commands", `ovs-appctl --timeout=5 list-commands`)),
	asRoot(shell("ovs-log", `tail -n 200 /var/log/openvswitch/ovs-vswitchd.log`)),
	asRoot(shell("kernel-log", `dmesg | grep mlx5 | tail -n 100`)),
	shell("image-settings", `grep -hv '^#' /etc/mellanox/mlnx-ovs.conf /etc/mellanox/mlnx-bf.conf `+
		`/etc/mellanox/mlnx-sf.conf`),
	shell("ip-counters", `ip -j -s link show`),
	shell("cpu-hits", `for ip in ip /opt/mellanox/iproute2/sbin/ip; do `+
		`$ip -j stats show group offload subgroup cpu_hit; done`),
	shell("rdma-links", `rdma -j link show; ibv_devinfo -v`),
}

// ofPort are the probes of an interface that belongs to a card.
func ofPort(name string) []Probe {
	return []Probe{
		{Name: "ethtool-" + name, Run: []string{"ethtool", name}},
		{Name: "ethtool-driver-" + name, Run: []string{"ethtool", "-i", name}},
		{Name: "ethtool-features-" + name, Run: []string{"ethtool", "-k", name}},
		{Name: "ethtool-channels-" + name, Run: []string{"ethtool", "-l", name}},
		{Name: "ethtool-counters-" + name, Run: []string{"ethtool", "-S", name}},
		shell("tc-"+name, "tc -s filter show dev "+name+" ingress"),
	}
}

// ofCard are the probes of a card.
func ofCard(pci string) []Probe {
	return []Probe{
		{Name: modeProbe + pci, Run: card.Query(pci)},
		asRoot(Probe{
			Name: configsProbe + pci, Run: []string{"mlxconfig", "-d", pci, "-e", "query"},
		}),
		asRoot(Probe{Name: "mstconfig-" + pci, Run: []string{"mstconfig", "-d", pci, "query"}}),
		{
			Name: eswitchProbe + pci,
			Run:  []string{"devlink", "dev", "eswitch", "show", "pci/" + pci},
		},
		{
			Name: roceProbe + pci,
			Run:  []string{"devlink", "dev", "param", "show", "pci/" + pci, "name", "enable_roce"},
		},
		shell("devlink-param-"+pci, "devlink dev param show pci/"+pci),
		asRoot(shell(orderProbe+pci, `lspci -vv -s `+pci+` | grep -o 'RlxdOrd[+-]' | head -n 1; `+
			`grep -hs MLX5_RELAXED_PACKET_ORDERING_ON /etc/infiniband/mlx5.conf; `+
			`env | grep MLX5_RELAXED_PACKET_ORDERING_ON || :`)),
	}
}

// probes returns all probes of a machine whose sysfs is at sys.
func probes(sys string) []Probe {
	list := slices.Clone(everywhere)
	for _, pci := range cards(sys) {
		list = append(list, ofCard(pci)...)
	}
	for _, name := range ports(sys) {
		list = append(list, ofPort(name)...)
	}
	return list
}

// vendor is the PCI vendor of BlueField and ConnectX (pci.ids).
const vendor = "0x15b3"

// cards returns the PCI addresses of the first function of each network card of the vendor.
func cards(sys string) (list []string) {
	dirs, _ := filepath.Glob(filepath.Join(sys, "bus/pci/devices/*.0"))
	for _, dir := range dirs {
		if word(dir, "vendor") == vendor && strings.HasPrefix(word(dir, "class"), "0x02") {
			list = append(list, filepath.Base(dir))
		}
	}
	return list
}

// mostPorts bounds the interfaces that are asked one by one: a card may have hundreds.
const mostPorts = 16

// ports returns the interfaces of the vendor's devices.
func ports(sys string) (list []string) {
	dirs, _ := filepath.Glob(filepath.Join(sys, "class/net/*"))
	for _, dir := range dirs {
		if word(filepath.Join(dir, "device"), "vendor") == vendor && len(list) < mostPorts {
			list = append(list, filepath.Base(dir))
		}
	}
	return list
}

// word returns the text of a small file without surrounding blanks; "" if it cannot be read.
func word(dir, file string) string {
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
