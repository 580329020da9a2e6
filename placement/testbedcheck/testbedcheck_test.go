package testbedcheck

import (
	"os"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/internal/test/testbeds"
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/node"
	"dpukv/placement/testbed"
)

// TestCheckOfALab: all four machines can be used, each at its given address, and every placement
// can run.
func TestCheckOfALab(t *testing.T) {
	c, bed := ofALab(t)
	var out strings.Builder
	must.Do(t, c.check(t.Context(), &out, &bed))
	for _, want := range []string{"as 8 cores of 0.24", "eth0 veth", "hostA unmodelled"} {
		if !strings.Contains(out.String()+bed.EmulatedText(), want) {
			t.Errorf("got\n%s, want it to hold %q", out.String(), want)
		}
	}
	want, split := 0, len(stores.NamesOf(func(st *kvs.Store) bool { return st.Halves != nil }))
	for _, p := range bed.Placements() {
		if testbed.OnlyByName(p.Name) {
			want += split
		} else {
			want += len(stores.All())
		}
	}
	if got := strings.Count(out.String(), "can run: "); got != want {
		t.Errorf("%d placements with a store can run, want %d:\n%s", got, want, out.String())
	}
	for _, want := range []string{
		"CDH-SH       mica       can run: server on hostB, client on hostA and dpuA\n",
		"CH-PD-ED-SH  mica       can run: engine on dpuB, client on hostA, store half on hostB, proxy on dpuA, " +
			"lanes between dpuB and hostB over shm, lanes between dpuA and hostA over shm\n",
		"CH-ED-SH, CH-PD-SH, CH-PD-ED-SH, CH-EH-SD with dragonfly, herd, memcached, onesided, redis, valkey " +
			"cannot run: only mica can be split\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s, want it to hold %q", out.String(), want)
		}
	}
}

// ofALab returns a checker of dpukv, and a testbed of four emulated machines.
func ofALab(t *testing.T) (checker, testbed.Testbed) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root: limits of CPU time and links that are cut")
	}
	program := programs.DPUKV(t)
	return checker{
		version: "test", build: must.Get(node.Digest(program))(t), command: []string{program, "node"},
		keeper: []string{program, "lab"}, timeouts: node.DefaultTimeouts,
	}, must.Get(testbed.Parse("t.yaml", []byte(testbeds.FourMachines)))(t)
}
