package herd

import (
	"errors"
	"io"

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

// CloseAll closes what there is of these, and returns all errors.
func CloseAll(all ...io.Closer) error {
	var errs []error
	for _, c := range all {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
