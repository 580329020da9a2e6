package launch

import (
	"errors"
	"testing"
)

func TestFailures(t *testing.T) {
	var f Failures
	for _, name := range []string{"a", "b", "c"} {
		n := &Node{Name: name, Via: Kubectl}
		f.Add(name, n.errorf("via: kubectl needs the program kubectl"))
	}
	f.Add("d", errors.New("node d: another"))
	f.Add("e", nil)
	want := []string{"nodes a, b, c: via: kubectl needs the program kubectl", "node d: another"}
	for i, got := range f {
		if i >= len(want) || got.String() != want[i] {
			t.Errorf("found %q, want %q", got, want)
		}
	}
	if len(f) != len(want) {
		t.Errorf("found %d causes, want %d", len(f), len(want))
	}
}
