package sweep

import (
	"slices"
	"testing"

	"dpukv/results"
)

// TestReadKeys checks that the keys of stores whose clients read items multiply only these, and
// leave the IDs of all others, and of their own defaults, as they were.
func TestReadKeys(t *testing.T) {
	reading := ReadingStores()
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
	if s := parse("herd", both); s.UnusedReadKey() != "neighbourhood" {
		t.Errorf("unused: found %q", s.UnusedReadKey())
	}
	if s := parse(reading[0], both); s.UnusedReadKey() != "" {
		t.Errorf("unused: found %q", s.UnusedReadKey())
	}
	s := parse(reading[0], both)
	for _, p := range s.Points() {
		var asked results.Point
		p.Asked(&asked)
		used := results.Point{Counted: results.Counted{Items: &results.Items{}}}
		used.Neighbourhood, used.Inline, used.Validate = 7, "maybe", "perhaps"
		differences := 0
		p.compareReads(&used, func(_ string, asked, used any) {
			if asked != used {
				differences++
			}
		})
		want := 2
		if p.Neighbourhood > 0 {
			want = 3
		}
		if asked.Neighbourhood != p.Neighbourhood || asked.Inline != p.Inline || asked.Validate != p.ReadCheck ||
			differences != want {
			t.Errorf("asked for %+v, %d differences", asked.Asked, differences)
		}
	}
}
