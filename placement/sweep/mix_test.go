package sweep

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestMixes: a mix decides the keys that the file leaves out, and no others.
func TestMixes(t *testing.T) {
	for text, want := range map[string][]string{
		"mix: ycsb-b": {"ycsb-b 0.95 zipf:0.99 23 1000"},
		"mix: [etc, ycsb-d]": {
			"etc 0.968 uniform etc etc", "ycsb-d 0.95 latest:0.99 23 1000",
		},
		"mix: [none, ycsb-c]\nstore: [mica, herd]": {
			" 1 uniform 8 8", " 0.95 uniform 8 8", " 0.5 uniform 8 8", "ycsb-c 1 zipf:0.99 23 1000",
			" 1 uniform 16 32", " 0.95 uniform 16 32", " 0.5 uniform 16 32",
			"ycsb-c 1 zipf:0.99 23 1000",
		},
		"mix: [ycsb-a, ycsb-b]\nget_ratio: 0.9\nvalue_bytes: [8, 32-64]": {
			"ycsb-a 0.9 zipf:0.99 23 8", "ycsb-a 0.9 zipf:0.99 23 32-64",
			"ycsb-b 0.9 zipf:0.99 23 8", "ycsb-b 0.9 zipf:0.99 23 32-64",
		},
	} {
		s := parsed(t, text+"\nclient_threads: 1\nrepeats: 1\n")
		var got, ids []string
		for _, c := range s.Configs() {
			got = append(got, fmt.Sprint(c.Mix, " ", c.GetRatio, " ", c.Dist, " ",
				c.KeySizes.Text(c.KeyBytes), " ", c.ValueSizes.Text(c.ValueBytes)))
			ids = append(ids, c.id(1))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", text, got, want)
		}
		slices.Sort(ids)
		if n := len(slices.Compact(ids)); n != len(want) || s.Size(MaxPoints) < n {
			t.Errorf("%s: %d IDs of %d points, size says %d", text, n, len(want), s.Size(MaxPoints))
		}
		again := parsed(t, string(s.Marshal()))
		if diff := Differences(&s, &again); len(diff) > 0 || len(again.Points()) != len(s.Points()) {
			t.Errorf("%s: read again it differs: %v", text, diff)
		}
	}
	s := parsed(t, "mix: [none, ycsb-a]\n")
	if got := s.Value("get_ratio") + "; " + s.Value("dist"); got != "1, 0.95, 0.5; uniform, zipf:0.99" {
		t.Errorf("the values are %s", got)
	}
	if got := string(s.Short()); got != "mix: [none, ycsb-a]\n" {
		t.Errorf("the short file is %q", got)
	}
	_, err := Parse("s.yaml", []byte("mix: ycsb-e\n"))
	if err == nil || !strings.Contains(err.Error(), `s.yaml:1:6: mix: found "ycsb-e", allowed: etc, `) ||
		!strings.Contains(err.Error(), "no store here has scans") {
		t.Errorf("ycsb-e: %v", err)
	}
}
