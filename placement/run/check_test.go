package run

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/testbed"
)

// testbedExamples are the example files that are testbeds.
var testbedExamples = []string{"local", "netns", "netns-onpath", "bluefield", "slurm", "ssh", "kubectl"}

// parseTestbed reads a valid testbed.
func parseTestbed(t *testing.T, text string) testbed.Testbed {
	t.Helper()
	return must.Get(testbed.Parse("t.yaml", []byte(text)))(t)
}

// TestProgramMissing: a missing program is reported before anything starts.
func TestProgramMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	sum, err := runFake(t, realOptions(t, "store: [mica, redis]\n", ""))
	if err == nil || !strings.Contains(err.Error(), "sweep.yaml:1:15: store: redis-server is not in PATH") ||
		sum.Begun() {
		t.Errorf("%+v, %v", sum, err)
	}
}

// TestCheckGuest: a placement that a guest cannot reach is refused before the guest boots.
func TestCheckGuest(t *testing.T) {
	for name, c := range map[string]struct{ bed, attach, want string }{
		"local": {bed: "{via: local}"},
		"made":  {bed: "{via: netns}"},
		"ssh": {
			bed:  "{via: ssh, host: h, address: 192.0.2.1}",
			want: "found node a via: ssh, allowed: via: local",
		},
		"namespace": {
			bed:  "{via: netns, namespace: n, address: 192.0.2.1}",
			want: "in the namespace n, allowed: via: netns without one",
		},
		"attach": {bed: "{via: local}", attach: "192.0.2.1:6379", want: "found --attach 192.0.2.1:6379"},
	} {
		t.Run(name, func(t *testing.T) {
			p := Plan{
				Options: Options{Attach: c.attach},
				testbed: parseTestbed(t, "nodes:\n  a: "+c.bed+"\nclient_side: a\nserver_side: a\n"),
			}
			err := CheckGuest(&p)
			must.Fail(t, err, c.want)
		})
	}
}
