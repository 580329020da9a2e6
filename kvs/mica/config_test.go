package mica

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// TestAddresses: a port stands for itself and those after it, a range for any of its ports.
func TestAddresses(t *testing.T) {
	for _, test := range []struct{ listen, first, second, err string }{
		{"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", ""},
		{"127.0.0.1:7791", "127.0.0.1:7791", "127.0.0.1:7792", ""},
		{"[::1]:7000-7001", "[::1]:7000-7001", "[::1]:7000-7001", ""},
		{"127.0.0.1:65535", "", "", "allowed: a port of 0 to 65534 for 2 workers"},
		{"127.0.0.1:7001-7000", "", "", "allowed: a port of 0 to 65535, or FIRST-LAST"},
	} {
		c := Config{Listen: test.listen, Workers: 2}
		for worker, want := range []string{test.first, test.second} {
			got, err := c.addr(worker)
			if got != want || (err == nil) != (test.err == "") ||
				err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s, worker %d: found %q, %v, want %q, %q", test.listen, worker, got, err, want, test.err)
			}
		}
	}
	c := Config{Listen: "127.0.0.1:7000-7001", Workers: 3}
	_, err := c.addr(0)
	must.Fail(t, err, "allowed: at least 3 ports for 3 workers")
}
