package softroce

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dpukv/internal/foreign"
)

// sysfs is where the kernel describes its devices.
const sysfs = "/sys"

// errUnknownRoCE reports that nothing tells whether a NIC takes this device's packets itself.
var errUnknownRoCE = errors.New("unknown whether the NIC takes UDP 4791 for itself")

// checkNIC refuses an address on a port of mlx5 with RoCE enabled. Such a NIC takes all packets to
// UDP 4791 for its own RDMA device: no socket receives them (kernel: Documentation/networking/
// devlink/mlx5.rst, enable_roce). The error is [errUnknownRoCE] if devlink does not tell.
func checkNIC(sys string, addr netip.Addr) error {
	interfaces, err := net.Interfaces()
	if err != nil {
		return fmt.Errorf("list the interfaces: %w", err)
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagLoopback == 0 && holds(i, addr) {
			return checkInterface(sys, i.Name, addr)
		}
	}
	return nil
}

// checkInterface checks the ports of mlx5 below an interface.
func checkInterface(sys, name string, addr netip.Addr) (err error) {
	for _, device := range mlx5Below(sys, name, nil) {
		enabled, askErr := roceEnabled(device)
		switch {
		case askErr != nil:
			err = fmt.Errorf("%w: interface %s of %s: %w", errUnknownRoCE, name, device, askErr)
		case enabled:
			return fmt.Errorf("software RoCE on address %s: found enable_roce on for %s, the NIC "+
				"of interface %s, which takes UDP 4791 for itself; allowed: off, by\n"+
				"    devlink dev param set %s name enable_roce value false cmode driverinit\n"+
				"    devlink dev reload %s\n"+
				"(the NIC's own RDMA device goes away then; value true brings it back)",
				addr, device, name, device, device)
		}
	}
	return err
}

// mlx5Below returns devlink's names of the mlx5 devices that carry an interface: its own, or those
// of a bond's, a bridge's or a VLAN's ports.
func mlx5Below(sys, name string, seen []string) (devices []string) {
	folder := filepath.Join(sys, "class/net", name)
	driver, _ := filepath.EvalSymlinks(filepath.Join(folder, "device/driver"))
	device, err := filepath.EvalSymlinks(filepath.Join(folder, "device"))
	if err == nil && strings.HasPrefix(filepath.Base(driver), "mlx5_core") {
		return []string{devlinkName(filepath.Base(device))}
	}
	lower, _ := filepath.Glob(filepath.Join(folder, "lower_*"))
	for _, l := range lower {
		below := strings.TrimPrefix(filepath.Base(l), "lower_")
		if !slices.Contains(seen, below) {
			devices = append(devices, mlx5Below(sys, below, append(seen, name))...)
		}
	}
	return devices
}

// devlinkName is a device's handle: pci/0000:03:00.0, or auxiliary/mlx5_core.sf.2 of a scalable
// function.
func devlinkName(device string) string {
	if strings.HasPrefix(device, "mlx5_core.") {
		return "auxiliary/" + device
	}
	return "pci/" + device
}

// devlinkTimeout bounds the wait for devlink, which answers at once.
const devlinkTimeout = 5 * time.Second

// roceEnabled asks for a device's value of enable_roce.
func roceEnabled(device string) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), devlinkTimeout)
	defer cancel()
	argv := []string{"devlink", "-j", "dev", "param", "show", device, "name", "enable_roce"}
	out, err := foreign.Run(exec.CommandContext(ctx, argv[0], argv[1:]...))
	if err != nil {
		text := err.Error()
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			text = strings.TrimSpace(string(exit.Stderr[:min(len(exit.Stderr), 200)]))
		}
		return false, fmt.Errorf("%s: %s", strings.Join(argv, " "), text)
	}
	var answer struct {
		Param map[string][]struct {
			Name   string
			Values []struct {
				Cmode string
				Value bool
			}
		}
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return false, fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	for _, p := range answer.Param[device] {
		if p.Name == "enable_roce" && len(p.Values) > 0 {
			return p.Values[0].Value, nil
		}
	}
	return false, fmt.Errorf("%s: no value in %.200s", strings.Join(argv, " "), out)
}
