package herd

import (
	"dpukv/verbs"
	"dpukv/verbs/provider"
)

// The devices' providers, as [kvs.Facts] names them.
const (
	providerSHM      = "shm"
	providerSoftRoCE = "softroce"
)

// DefaultDevice is for both ends on one machine.
const DefaultDevice = providerSHM

// opener opens a device. Tests have others.
type opener func(name string, opts *provider.Options) (verbs.Device, error)

func openDevice(name string, opts *provider.Options) (verbs.Device, error) {
	if opts == nil {
		opts = &provider.Defaults
	}
	return provider.Open(name, *opts)
}

// inlineLimit is what a queue pair takes inline of requests or answers of at most n bytes.
func inlineLimit(port *verbs.Port, n int) int { return min(port.MaxInline, n) }
