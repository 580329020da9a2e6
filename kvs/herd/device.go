package herd

import (
	"dpukv/verbs"
	"dpukv/verbs/provider"
)

// These are the devices' providers, as [kvs.Facts] names them.
const (
	providerSHM      = "shm"
	providerSoftRoCE = "softroce"
)

// DefaultDevice connects two ends on one machine.
const DefaultDevice = providerSHM

// opener opens a device. Tests use others.
type opener func(name string, opts *provider.Options) (verbs.Device, error)

func openDevice(name string, opts *provider.Options) (verbs.Device, error) {
	if opts == nil {
		opts = &provider.Defaults
	}
	return provider.Open(name, *opts)
}
