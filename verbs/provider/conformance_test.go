package provider

import (
	"strings"
	"testing"

	"dpukv/verbs"
	"dpukv/verbs/verbstest"
)

// TestConformance has two devices of each provider that needs no hardware talk.
func TestConformance(t *testing.T) {
	for _, pair := range [][2]string{
		{"shm", "shm"},
		{"softroce:" + verbstest.Addr(0), "softroce:" + verbstest.Addr(1)},
	} {
		kind, _, _ := strings.Cut(pair[0], ":")
		t.Run(kind, func(t *testing.T) {
			verbstest.Loopback(t, mustOpen(t, pair[0]), mustOpen(t, pair[1]))
		})
	}
}

func mustOpen(t *testing.T, name string) verbs.Device {
	t.Helper()
	d, err := Open(name, Defaults)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}
