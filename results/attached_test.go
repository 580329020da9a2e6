package results

import (
	"slices"
	"strings"
	"testing"
)

func TestAttachedServersHaveNoPlacement(t *testing.T) {
	sweep := Point{
		Identity: Identity{Status: StatusOK},
		Asked:    Asked{Placement: "CH-SH", Submode: "off-path"},
		Reached:  Reached{Attached: true},
		Used:     Used{ServerAddr: "10.0.0.2:6379"},
		Clients:  []ClientShare{{Node: Node{Node: "hostA"}}},
	}
	load := Point{
		Identity: Identity{Status: StatusOK},
		Asked:    Asked{Placement: "attached", Submode: "unknown"},
		Used:     Used{ServerAddr: "10.0.0.2:6379"},
	}
	failed := Point{
		Identity: Identity{Status: StatusFailed},
		Asked:    Asked{Placement: "CH-SH", Submode: "off-path"},
		Reached:  Reached{Attached: true},
	}
	placed := Point{
		Identity: Identity{Status: StatusOK},
		Asked:    Asked{Placement: "CH-SH", Submode: "sm1"},
	}
	path := Named("placement", "submode")
	for _, c := range []struct {
		p    Point
		want string
		cpus string
	}{
		{sweep, "attached to 10.0.0.2:6379 from hostA", ""},
		{load, "attached to 10.0.0.2:6379", ""},
		{failed, "attached", ""},
		{placed, "CH-SH, SM1", "not pinned"},
	} {
		if got := Labels(path, &c.p); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		shown := []string{path[0].Shown(&c.p), path[1].Shown(&c.p)}
		shown = slices.DeleteFunc(shown, func(s string) bool { return s == "" })
		if got := strings.Join(shown, ", "); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if got := c.p.ServerPinning(); got != c.cpus {
			t.Errorf("%s: CPUs %q, want %q", c.want, got, c.cpus)
		}
		if path[0].Text(&c.p) != c.p.Placement || path[1].Text(&c.p) != submodeName(&c.p) {
			t.Errorf("%s: the identity is %q, %q", c.want, path[0].Text(&c.p), path[1].Text(&c.p))
		}
	}
}

// TestCommon: what is said of all points is true of each. Two servers that ran already have one
// placement, and two addresses.
func TestCommon(t *testing.T) {
	at := func(addr string) *Point {
		return &Point{Asked: Asked{Placement: "attached"}, Used: Used{ServerAddr: addr}}
	}
	a, b := at("10.0.0.2:6379"), at("10.0.0.3:7000")
	ds := Named("placement", "submode")
	if got := Common(ds, []*Point{a, b}); got != nil {
		t.Errorf("found %q of two servers", got)
	}
	if got := Common(ds, []*Point{a, a}); !slices.Equal(got, []string{"attached to 10.0.0.2:6379"}) {
		t.Errorf("found %q of one server", got)
	}
}
