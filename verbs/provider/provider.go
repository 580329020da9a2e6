package provider

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"dpukv/verbs"
	"dpukv/verbs/ibverbs"
	"dpukv/verbs/nasty"
	"dpukv/verbs/shm"
	"dpukv/verbs/softroce"
)

// Names lists the providers for users.
const Names = "shm, softroce:ADDRESS or ibverbs:NAME[/PORT]"

// Options are settings beside the name.
type Options = verbs.Options

// Defaults let the device choose.
var Defaults = Options{GIDIndex: ibverbs.AutoGID}

// Open opens the device with this name.
func Open(name string, o Options) (verbs.Device, error) {
	if bare, model, asked := strings.Cut(name, nasty.Key); asked {
		return openNasty(strings.TrimRight(bare, ":,"), model, o)
	}
	kind, which, _ := strings.Cut(name, ":")
	open, ok := map[string]func(string, Options) (verbs.Device, error){
		"shm": openSHM, "softroce": openSoftRoCE, "ibverbs": openIBVerbs,
	}[kind]
	if !ok {
		return nil, fmt.Errorf("device: found %q, allowed: %s", name, Names)
	}
	if kind != "ibverbs" && o.GIDIndex > 0 {
		return nil, fmt.Errorf("device %s: found GID index %d, allowed: 0, its only one", name,
			o.GIDIndex)
	}
	d, err := open(which, o)
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", name, err)
	}
	return d, nil
}

// openNasty opens a device in software, wrapped by an instrument for tests.
func openNasty(name, model string, o Options) (verbs.Device, error) {
	c, err := nasty.Parse(model)
	if err == nil && strings.HasPrefix(name, "ibverbs") {
		err = fmt.Errorf("found %s, allowed: shm and softroce, devices in software", nasty.Key)
	}
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", name, err)
	}
	d, err := Open(name, o)
	if err != nil {
		return nil, err
	}
	return nasty.Wrap(d, c), nil
}

func openSHM(which string, o Options) (verbs.Device, error) {
	if which != "" {
		return nil, fmt.Errorf("name: found %q, allowed with shm: none", which)
	}
	if o.MTU != 0 && o.MTU != shm.MTU {
		return nil, fmt.Errorf("MTU: found %d, allowed in shared memory: %d", o.MTU, shm.MTU)
	}
	return shm.Open(shm.Config{})
}

func openSoftRoCE(which string, o Options) (verbs.Device, error) {
	addr, err := netip.ParseAddr(which)
	if err != nil {
		return nil, fmt.Errorf("address: allowed: an IPv4 address of this machine, as in "+
			"softroce:ADDRESS: %w",
			err)
	}
	return softroce.Open(softroce.Options{Addr: addr, MTU: o.MTU})
}

// openIBVerbs accepts a port in the notation of "rdma link": mlx5_0/2.
func openIBVerbs(which string, o Options) (verbs.Device, error) {
	cfg := ibverbs.Config{GIDIndex: o.GIDIndex, MTU: o.MTU}
	if a, err := netip.ParseAddr(o.Address); err == nil && !a.IsLoopback() {
		cfg.Address = a.Unmap().WithZone("") // a name says nothing here
	}
	name, port, asked := strings.Cut(which, "/")
	cfg.Name = name
	if asked {
		var err error
		if cfg.Port, err = strconv.Atoi(port); err != nil || cfg.Port < 1 {
			return nil, fmt.Errorf("port: found %q, allowed: its number, from 1, as in "+
				"ibverbs:mlx5_0/1 (rdma link lists them)", port)
		}
	}
	return ibverbs.Open(cfg)
}
