//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"errors"
	"strings"
	"testing"

	"dpukv/verbs"
)

// TestMissingLibrary names what to install, and what a library lacks that is another one.
func TestMissingLibrary(t *testing.T) {
	for name, wants := range map[string][]string{
		"libnone.so.1": {"found no libnone.so.1", "apt-get install libibverbs1 ibverbs-providers"},
		"libc.so.6":    {"libc.so.6 has no ibv_"},
	} {
		_, err := loadFrom(name)
		if !errors.Is(err, verbs.ErrNotSupported) {
			t.Errorf("%s: found %v, want ErrNotSupported", name, err)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: found %v, want %q", name, err, want)
			}
		}
	}
}
