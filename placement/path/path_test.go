package path

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/emulate"
	"dpukv/placement/launch"
	"dpukv/placement/process"
	"dpukv/placement/submode"
	"dpukv/placement/submode/step"
	"dpukv/placement/testbed"
)

// TestWarningsOfADatapath: warnings name a substitute, a datapath that the profile does not slow
// down, and the CPU that the forwarder uses.
func TestWarningsOfADatapath(t *testing.T) {
	const standsIn, notSlowed, shared = "ovs-netdev stands in for", "which its profile bf2 does not slow down",
		"what forwards shares CPU 1 with server or client"
	for name, c := range map[string]struct {
		submode, datapath, profile string
		cpus                       []int
		want                       []string
	}{
		"in user space":                {submode.SM1, "ovs-netdev", "bf2", []int{0}, []string{standsIn}},
		"in user space, on their CPU":  {submode.SM1, "ovs-netdev", "bf2", []int{1}, []string{standsIn, shared}},
		"in the kernel":                {submode.SM1, "ovs-system", "bf2", []int{1}, []string{notSlowed}},
		"in the kernel, as it is":      {submode.SM1, "ovs-system", emulate.NoProfile, []int{1}, nil},
		"the submode's own, elsewhere": {submode.SM3, "testpmd", "bf2", []int{0}, nil},
	} {
		dpu := &testbed.Node{Node: launch.Node{Name: "d", Via: launch.Netns}, Kind: testbed.KindDPU, Profile: c.profile}
		host := &testbed.Node{
			Node: launch.Node{Name: "h", Via: launch.Netns}, Kind: testbed.KindHost,
			Profile: emulate.NoProfile,
		}
		p := &Path{leased: &leased{dpu: dpu, Lease: adopted(t, c.submode, c.datapath, c.cpus)}}
		got := p.Warnings([]*process.Process{{Node: host, CPUs: []int{1}}})
		for i := range max(len(got), len(c.want)) {
			if len(got) != len(c.want) || !strings.Contains(got[i].Text, c.want[i]) {
				t.Errorf("%s: found %q, want %q", name, got, c.want)
				break
			}
		}
	}
}

// adopted returns a lease of a datapath that a node reports as applied.
func adopted(t *testing.T, name, datapath string, cpus []int) *submode.Lease {
	t.Helper()
	s := must.Get(submode.New(submode.Config{
		Submode: name, Target: submode.Linux, Datapath: datapath, CPUs: cpus,
	}))(t)
	d := step.Node{Name: "d", Run: func(_ context.Context, argv []string) (string, error) {
		switch argv[0] {
		case "readlink":
			return "net:[4026531840]", nil
		case "ip":
			return `[{"ifname": "lo", "altnames": ["dpukv-0123456789abcdef"]}]`, nil
		}
		return fmt.Sprintf(`{"Submode": %q, "Datapath": %q, "Ports": {"Wire": "p0", "Host": "pf0hpf"}}`, name,
			datapath), nil
	}}
	return must.Get(s.Adopt(t.Context(), d))(t)
}
