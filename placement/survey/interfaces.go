package survey

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Interface is a network interface.
type Interface struct {
	Name      string   `json:"name"`
	Driver    string   `json:"driver,omitempty"`
	Bus       string   `json:"bus,omitempty"` // where the device is: "0000:03:00.0"
	Up        bool     `json:"up"`
	MTU       int      `json:"mtu"`
	SpeedMbps int      `json:"speed_mbps,omitempty"` // 0: unknown
	Addresses []string `json:"addresses,omitempty"`
}

// interfaces lists the interfaces except loopbacks.
func interfaces() []Interface {
	all, err := net.Interfaces()
	if err != nil {
		return nil
	}
	var list []Interface
	for i := range all {
		if it := &all[i]; it.Flags&net.FlagLoopback == 0 {
			list = append(list, describe(it))
		}
	}
	return list
}

func describe(it *net.Interface) Interface {
	d := Interface{
		Name: it.Name, Up: it.Flags&net.FlagRunning != 0, MTU: it.MTU,
		SpeedMbps: speed("/sys", it),
	}
	d.Driver, d.Bus = driver(it.Name)
	addrs, _ := it.Addrs()
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLinkLocalUnicast() {
			d.Addresses = append(d.Addresses, n.IP.String())
		}
	}
	return d
}

// driver asks the kernel for an interface's driver and bus address.
func driver(name string) (driver, bus string) {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", ""
	}
	defer unix.Close(s)
	info, err := unix.IoctlGetEthtoolDrvinfo(s, name)
	if err != nil {
		return "", ""
	}
	return unix.ByteSliceToString(info.Driver[:]), unix.ByteSliceToString(info.Bus_info[:])
}

// speed reads an interface's rate in Mb/s. sysfs may show another network namespace than the
// current one. So the rate counts only for an interface with the same index and address.
func speed(sys string, it *net.Interface) int {
	dir := filepath.Join(sys, "class/net", it.Name)
	if word(dir, "ifindex") != strconv.Itoa(it.Index) ||
		word(dir, "address") != it.HardwareAddr.String() {
		return 0
	}
	mbps, err := strconv.Atoi(word(dir, "speed"))
	if err != nil || mbps < 0 { // -1: no link
		return 0
	}
	return mbps
}

// word returns the text of a small file without surrounding blanks; "" if it cannot be read.
func word(dir, file string) string {
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// HasAddress returns the interface with an address, nil if there is none.
func (r *Report) HasAddress(address string) *Interface {
	for i := range r.Interfaces {
		if slices.Contains(r.Interfaces[i].Addresses, address) {
			return &r.Interfaces[i]
		}
	}
	return nil
}
