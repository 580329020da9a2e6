package run

import (
	"strings"
	"testing"
)

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
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("found %v, want %q", err, c.want)
			}
		})
	}
}
