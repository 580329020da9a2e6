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

// Copier is the DMA engine of a device.
type Copier struct{}

// OpenCopier returns the same error as [Probe].
func OpenCopier(Config, int, bool) (*Copier, error) { return nil, Probe() }

// MaxBytes is 0, as the others of this build have no device.
func (*Copier) MaxBytes() int { return 0 }

// Info describes no device.
func (*Copier) Info() verbs.DeviceInfo { return verbs.DeviceInfo{} }

// Register returns the same error as [Probe].
func (*Copier) Register([]byte) (uint32, error) { return 0, Probe() }

// Copy returns the same error as [Probe].
func (*Copier) Copy([]byte, uint32, []byte, uint32) error { return Probe() }

// Done returns the same error as [Probe].
func (*Copier) Done() (int, error) { return 0, Probe() }

// Close has nothing to free.
func (*Copier) Close() error { return nil }
