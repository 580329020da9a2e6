package process

import (
	"strings"
	"testing"
)

const stat = "4242 (ovs (x) y) S 1 4242 4242 0 -1 4194560 1 0 0 0 150 50 0 0 20 0 3 0 7777 0 0"

func TestParseStat(t *testing.T) {
	if s, err := ParseStat(stat); s.Key() != "4242@7777" || s.CPU.Seconds() != 2 || err != nil {
		t.Errorf("found %+v, %v", s, err)
	}
	for _, bad := range []string{
		"", "1 (x)", strings.Replace(stat, ") S", ") Z", 1), strings.Replace(stat, "150", "many", 1),
	} {
		if _, err := ParseStat(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// FuzzParseStat: a node may print anything; reading it must not panic.
func FuzzParseStat(f *testing.F) {
	f.Add(stat)
	f.Fuzz(func(_ *testing.T, out string) { _, _ = ParseStat(out) })
}
