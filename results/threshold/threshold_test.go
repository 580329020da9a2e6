package threshold

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Threshold{
		"p99 > 300us":              {above: true, limit: 300e3},
		" p99.9>=1.5ms ":           {above: true, too: true, limit: 1.5e6},
		"latency_p99_ns < 1ms":     {limit: 1e6},
		"actual_p50 <= 20µs":       {too: true, limit: 20e3},
		"throughput < 1Mops":       {limit: 1e6},
		"throughput < 2.5e5":       {limit: 2.5e5},
		"host_cpu > 500ns":         {above: true, limit: 500},
		"misses > 0.1%":            {above: true, limit: 0.001},
		"errors > 0":               {above: true},
		"server_cpu_ns_per_op > 0": {above: true},
	} {
		got, err := Parse(text)
		if err != nil || got.above != want.above || got.too != want.too || got.limit != want.limit ||
			got.String() != strings.TrimSpace(text) {
			t.Errorf("%q: found %+v, %v, want %+v", text, got, err, want)
		}
	}
}

// TestParseRefuses: each error has what was found, and the figures or limits that there are.
func TestParseRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"":                    `found "", allowed: FIGURE > LIMIT`,
		"p99":                 `found "p99", allowed: FIGURE > LIMIT`,
		"p99 => 3us":          "allowed: FIGURE > LIMIT",
		"p99 == 3us":          "allowed: FIGURE > LIMIT",
		"p99 > 3us > 1us":     `found the limit "3us > 1us"`,
		"p98 > 3us":           `found the figure "p98"`,
		"troughput < 1Mops":   "throughput",
		"p99 > fast":          `found the limit "fast" in "p99 > fast", allowed for p99: a time such as 300us`,
		"p99 > -1us":          "a time such as 300us",
		"throughput < 300us":  "a rate such as 500kops",
		"host_cpu > 50%":      "a CPU time per operation such as 500ns",
		"misses > 101%":       "a share such as 0.1%",
		"errors > NaN":        "a share such as 0.1%",
		"throughput_ops <= 0": "a rate such as 500kops",
	} {
		if got, err := Parse(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: found %+v, %v, want an error with %q", text, got, err, says)
		}
	}
}

// TestUnits: each figure has a unit, and the list of what is allowed has each figure.
func TestUnits(t *testing.T) {
	for _, m := range Metrics() {
		if m.Unit.Parse == nil || m.Unit.Example == "" || m.Unit.Text == nil {
			t.Errorf("%s: found no limits of the unit %q", m.Name, m.Unit.Suffix)
		}
		if name := strings.TrimPrefix(m.Shown(), "actual_"); !strings.Contains(Allowed(), name) {
			t.Errorf("found %s, want %s in it", Allowed(), name)
		}
	}
}

func parsed(t *testing.T, text string) *Threshold {
	t.Helper()
	of := must.Get(Parse(text))(t)
	return &of
}
