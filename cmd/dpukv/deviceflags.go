package main

import (
	"github.com/spf13/pflag"

	"dpukv/kvs"
	"dpukv/verbs/provider"
)

// deviceHelp holds the help texts that differ between a server's device flags and a client's.
type deviceHelp struct {
	device string // help of --device
	value  string // its default
	prefix string // before the help of the others
	mtu    string // whose MTU
}

// addDeviceFlags adds the flags that name a verbs device and its options.
func addDeviceFlags(flags *pflag.FlagSet, d *kvs.Device, help deviceHelp) {
	flags.StringVar(&d.Name, "device", help.value, help.device)
	flags.IntVar(&d.GIDIndex, "gid-index", provider.Defaults.GIDIndex,
		help.prefix+"index into the port's GID table; -1: its RoCE v2 IPv4 GID")
	flags.IntVar(&d.MTU, "mtu", provider.Defaults.MTU,
		help.prefix+"path MTU in bytes, 256 to 4096"+help.mtu+" (default: the port's)")
}
