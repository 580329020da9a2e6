package answer

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// someRuns draws points of placements, loops, loads and repeats, of any kind.
func someRuns(t *rapid.T) (points []results.Point) {
	draw := func(name string, most int) int { return rapid.IntRange(1, most).Draw(t, name) }
	share := rapid.Float64Range(0, 1)
	for _, placement := range []string{"CH-SH", "CH-SD", "CD-SD"}[:draw("placements", 3)] {
		submode := rapid.SampledFrom([]string{"off-path", "direct", "sm1", "sm2"}).Draw(t, "submode")
		emulated := rapid.SampledFrom([]string{"", "", "network namespaces"}).Draw(t, "emulated")
		for _, rate := range []float64{0, 1e5, 5e5}[:draw("rates", 3)] {
			for threads := range draw("loads", 3) {
				for repeat := range draw("repeats", 7) {
					points = append(points, resultstest.Point(func(p *results.Point) {
						p.Placement, p.Submode, p.EmulatedTestbed = placement, submode, emulated
						p.Emulated = emulated != ""
						p.RateOps, p.ClientThreads, p.Repeat = rate, threads+1, repeat+1
						p.ThroughputOps = 1e5 + math.Round(5e6*share.Draw(t, "ops"))
						p.Latency = resultstest.Latency(100 + math.Round(1e6*share.Draw(t, "ns")))
						using(10*share.Draw(t, "µJ"), 1, "a", "b")(p)
						rapid.SampledFrom(kinds).Draw(t, "kind")(p)
					}))
				}
			}
		}
	}
	return points
}

var kinds = []func(*results.Point){
	func(*results.Point) {}, costing(341, 0), costing(0, 900), resultstest.Failed("no answer"),
	func(p *results.Point) { p.LatencyLowerBoundFrom = 95 },
	func(p *results.Point) { p.LatencyInterval = results.LatencyInterval{Sections: 5, P99LoNs: 1} },
	func(p *results.Point) {
		p.Warnings = results.ReadWarnings("target rate missed: 3 of 5 were answered")
	},
}

var (
	// nonsense is what no text has: no number, a difference with a sign, an empty name, a share that more
	// or less is said of.
	nonsense = regexp.MustCompile(`NaN|Inf|undefined|%!|  |[ (]-\d|\+\d|: \.|: ,|, ,|of \(|of \.|for \.|for ,|` +
		`^ |\.\.| (more|less|faster|slower)\b|and \.|that of ,`)
	// figure is a number, with its unit or what it counts behind it.
	figure = regexp.MustCompile(`(?:^|[\s(])(\d[\d.]*)\S*`)
	unit   = regexp.MustCompile(`^( (Mops|kops|ops/s|µs|ns|µJ|times|%|rounds?|repeats?|points?|cases?|of|and|to|ms|` +
		`instead|server|client|more|other)\b|[µm]s| %|;|\.|,)`)
	times   = regexp.MustCompile(`, ([\d.]+) times that of ([\w-]+) \(`)
	savedAt = regexp.MustCompile(` ([\w-]+) costs the hosts .* at ([\d.]+) (% of|times) that throughput`)
)

// TestTexts: whatever a run has, each sentence has sense and units, and no two have other sizes for
// one figure.
func TestTexts(t *testing.T) {
	bound := must.Get(results.ParseBound("p99=1ms"))(t)
	options := []Options{{Metric: p99(t)}, {Bound: &bound}, {Metric: p99(t), RateOps: 5e5}}
	rapid.Check(t, func(r *rapid.T) {
		points := someRuns(r)
		for _, o := range options {
			a, ok := Of(points, o)
			if !ok {
				continue
			}
			var b strings.Builder
			must.Do(t, a.Write(&b))
			for _, text := range strings.Split(strings.TrimSpace(b.String()), "\n") {
				checkText(r, strings.TrimSpace(text))
			}
			for _, c := range a.Cases {
				checkSizes(r, c.Text)
				if best := c.Verdict != None; best != (c.Best != "") {
					r.Errorf("found %s with the best %q: %s", c.Verdict, c.Best, c.Text)
				}
			}
		}
	})
}

func checkText(r *rapid.T, text string) {
	if nonsense.MatchString(text) || !strings.HasSuffix(text, ".") {
		r.Errorf("found %q", text)
	}
	for _, at := range figure.FindAllStringSubmatchIndex(text, -1) {
		number := strings.TrimRight(text[at[2]:at[3]], ".")
		rest := text[at[2]+len(number):]
		if before := text[:at[2]]; !unit.MatchString(rest) && !strings.HasSuffix(before, "p = ") {
			r.Errorf("found %s without a unit, before %q, in %q", number, rest, text)
		}
	}
}

// checkSizes: a saving has the size that the comparison of the same two lines has.
func checkSizes(r *rapid.T, text string) {
	by, saved := times.FindStringSubmatch(text), savedAt.FindStringSubmatch(text)
	if by == nil || saved == nil || by[2] != saved[1] {
		return
	}
	ratio, err := strconv.ParseFloat(by[1], 64)
	share, err2 := strconv.ParseFloat(saved[2], 64)
	if saved[3] == "% of" {
		share /= 100
	}
	if err != nil || err2 != nil || math.Abs(ratio*share-1) > 0.02 {
		r.Errorf("found %s times and %s %s it: %s", by[1], saved[2], saved[3], text)
	}
}
