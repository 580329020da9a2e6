package sweep

import (
	"slices"
	"strings"
	"testing"

	"dpukv/kvs"
	"dpukv/results"
)

// TestReadKeys checks that the keys of stores whose clients read items multiply only these, and
// leave the IDs of all others, and of their own defaults, as they were.
func TestReadKeys(t *testing.T) {
	reading := StoresWith(kvs.OfReads)
	if len(reading) == 0 {
		t.Fatal("no store's clients read items")
	}
	parse := func(store, keys string) Sweep {
		text := "store: [" + store + "]\nget_ratio: 0.5\nclient_threads: 1\nrepeats: 1\n" + keys
		return parsed(t, text)
	}
	ids := func(s Sweep) (ids []string) {
		for _, p := range s.Points() {
			ids = append(ids, p.ID)
		}
		slices.Sort(ids)
		return ids
	}
	both := "neighbourhood: [auto, 4]\ninline: [yes, no]\nvalidate: [checksum, none]\n"
	plain := ids(parse("herd, "+reading[0], ""))
	all := ids(parse("herd, "+reading[0], both))
	if len(plain) != 2 || len(all) != 9 {
		t.Errorf("%d and %d points, want 2 and 9", len(plain), len(all))
	}
	for _, id := range plain {
		if !slices.Contains(all, id) {
			t.Errorf("%s is missing from %q", id, all)
		}
	}
	for store, want := range map[string]string{"herd": "neighbourhood", reading[0]: ""} {
		s := parse(store, both)
		if got, _ := s.UnusedKey(); got != want {
			t.Errorf("unused with %s: found %q, want %q", store, got, want)
		}
	}
	s := parse(reading[0], both)
	for _, p := range s.Points() {
		var asked results.Point
		p.Asked(&asked)
		used := asked
		used.Setup, used.Neighbourhood, used.Inline, used.ReadCheck = p.Setup, 7, "maybe", "perhaps"
		differences := strings.Count(p.VerifyUsed(&used).Error(), "asked for")
		want := 2
		if p.Neighbourhood > 0 {
			want = 3
		}
		if asked.Neighbourhood != p.Neighbourhood || asked.Inline != p.Inline || asked.ReadCheck != p.ReadCheck ||
			differences != want {
			t.Errorf("asked for %+v, %d differences", asked.Asked, differences)
		}
	}
}
