//go:build !(ibverbs && linux && cgo)

package ibverbs

import (
	"fmt"

	"dpukv/verbs"
)

// Probe returns an error: this build has no libibverbs.
func Probe() error {
	return fmt.Errorf("provider ibverbs: this binary was built without it: apt-get install "+
		"libibverbs-dev ibverbs-providers, "+
		"then make ibverbs (go build -tags ibverbs): %w", verbs.ErrNotSupported)
}

// Devices returns the same error as [Probe].
func Devices() ([]string, error) { return nil, Probe() }

// Open returns the same error as [Probe].
func Open(Config) (verbs.Device, error) { return nil, Probe() }
