package dpdk

import (
	"fmt"
	"strings"

	"dpukv/placement/submode/step"
)

// Driver is a way for DPDK to use the kernel's interfaces.
type Driver struct {
	Name     string // in the names of DPDK's devices: net_NAME…
	options  string // of a device
	programs bool   // it attaches an XDP program to the interface
}

// The drivers.
var (
	AFPacket = &Driver{
		Name: "af_packet", options: ",framesz=2048,framecnt=8192,blocksz=65536,qdisc_bypass=1",
	}
	AFXDP = &Driver{Name: "af_xdp", programs: true}
)

// Device returns DPDK's device for an interface. id distinguishes it from other devices.
func (d *Driver) Device(id, port string) string {
	return fmt.Sprintf("net_%s%s,iface=%s%s", d.Name, id, port, d.options)
}

// Check looks for the driver's library.
func (d *Driver) Check() step.Step {
	return step.Step{
		Purpose: "DPDK's drivers for the kernel's interfaces",
		Run: step.Shell(`ls /usr/lib/*/dpdk/pmds-*/librte_net_"$1".so* `+
			`/usr/local/lib*/dpdk/pmds-*/librte_net_"$1".so* 2>/dev/null | head -1`, d.Name),
		Expect: step.Contains("librte_net"),
		Advice: "install Debian's librte-net-" + strings.ReplaceAll(d.Name, "_", "-") + "23",
	}
}

// Release removes the driver's programs at the end: they outlive the process that attached them. A
// check ensures that ports have no such program before.
func (d *Driver) Release(ports []string) (list []step.Step) {
	if !d.programs {
		return nil
	}
	for _, port := range ports {
		list = append(list, step.Step{
			Purpose: "AF_XDP's program on " + port + ", removed at the end",
			Undo: step.Shell(`
case $(ip -d link show dev "$1") in
*" name xsk_"* | *" name xdp_dispatcher"*) exec ip link set dev "$1" xdp off ;;
esac`, port),
			Port: port,
		})
	}
	return list
}
