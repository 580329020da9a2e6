//go:build !linux || !(amd64 || arm64) || static

package ibverbs

import (
	"fmt"

	"dpukv/verbs"
)

// Probe returns an error: this build cannot load libibverbs.
func Probe() error {
	return fmt.Errorf("provider ibverbs: this is a static build, which can't load libibverbs: "+
		"take dpukv-linux-ARCH (in dpukv's source: make build), on a system with glibc: %w",
		verbs.ErrNotSupported)
}

// Devices returns the same error as [Probe].
func Devices() ([]string, error) { return nil, Probe() }

// Open returns the same error as [Probe].
func Open(Config) (verbs.Device, error) { return nil, Probe() }
