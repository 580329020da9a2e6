package testbedcheck

import (
	"os"
	"strings"
	"testing"

	"dpukv/internal/test/binary"
	"dpukv/internal/test/testbeds"
	"dpukv/kvs/stores"
	"dpukv/placement/node"
	"dpukv/placement/testbed"
)

// TestCheckOfALab: all four machines can be used, each at its given address, and every placement
// can run.
func TestCheckOfALab(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root: limits of CPU time and links that are cut")
	}
	program := binary.Path(t)
	build, err := node.Digest(program)
	if err != nil {
		t.Fatal(err)
	}
	bed, err := testbed.Parse("t.yaml", []byte(testbeds.FourMachines))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	c := checker{
		version: "test", build: build, command: []string{program, "node"}, keeper: []string{program, "lab"},
		timeouts: node.DefaultTimeouts,
	}
	if err := c.check(t.Context(), &out, &bed); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"as 8 cores of 0.24", "eth0 veth", "hostA unmodelled"} {
		if !strings.Contains(out.String()+bed.EmulatedText(), want) {
			t.Errorf("got\n%s, want it to hold %q", out.String(), want)
		}
	}
	if got, want := strings.Count(out.String(), "can run: "), len(stores.All())*len(bed.Placements()); got != want {
		t.Errorf("%d placements with a store can run, want %d:\n%s", got, want, out.String())
	}
}
