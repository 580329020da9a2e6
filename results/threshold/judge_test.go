package threshold

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func curve(placement string, peak float64, edits ...func(*results.Point)) []results.Point {
	set := func(p *results.Point) { p.Placement = placement }
	return resultstest.Curve(peak, []int{1, 2, 4, 8}, 6,
		append([]func(*results.Point){set}, edits...)...)
}

// TestJudge: the worst configuration decides, and the text names it.
func TestJudge(t *testing.T) {
	within := must.Get(results.ParseBound("p99=300us"))(t)
	tight := must.Get(results.ParseBound("p99=1us"))(t)
	both := slices.Concat(curve("CH-SH", 4e6), curve("CH-SD", 2.5e6))
	failed := slices.Concat(both, curve("CD-SD", 1e6, resultstest.Failed("no answer.\nmore")))
	wrong := curve("CD-SD", 1e6, resultstest.Failed("a wrong value"), func(p *results.Point) { p.Errors = 5000 })
	for _, row := range []struct {
		name, threshold string
		points          []results.Point
		where           Where
		verdict         Verdict
		says            string
	}{
		{
			"the worst of those broken", "p99 > 300us", both,
			Where{},
			Broken,
			": broken: CH-SD, 8 client threads has 475 µs, the median of 6 repeats; 2 of 8 configurations break it.",
		},
		{
			"the nearest of those kept", "p99 > 1ms", both,
			Where{},
			Kept,
			": kept: the nearest to it, CH-SD, 8 client threads has 475 µs, the median of 6 repeats; " +
				"all 8 configurations keep it.",
		},
		{
			"throughput of each", "throughput < 1Mops", both,
			Where{},
			Broken,
			": broken: CH-SD, 1 client thread has 554 kops, the median of 6 repeats; 3 of 8 configurations break it.",
		},
		{
			"a bound that a disturbed line breaks", "throughput < 1Mops", curve("CH-SH", 4e6, noisy),
			Where{Bound: &tight},
			Undecided,
			": not decided: MICA, CH-SH has no load that keeps p99 latency ≤ 1 µs, but the point is disturbed",
		},
		{
			"throughput within a bound", "throughput < 1Mops", curve("CH-SH", 4e6),
			Where{Bound: &within},
			Kept,
			": kept: 8 client threads has 3.46 Mops",
		},
		{
			"no load within the bound", "throughput < 1Mops", slices.Concat(both, curve("CD-SD", 1e5)),
			Where{Bound: &within},
			Broken, ": broken: CD-SD has no load that keeps p99 latency ≤ 300 µs.",
		},
		{
			"failed points", "p99 > 1ms", failed,
			Where{},
			Undecided,
			": not decided: 24 points failed, such as mica-CD-SD-off-path-get95-st2-ct1-rate0-v8-r1: no answer.",
		},
		{"failed points, and one that is broken", "p99 > 300us", failed, Where{}, Broken, ": broken: CH-SD"},
		{"failed by errors", "errors > 0", slices.Concat(both, wrong), Where{}, Broken, "it failed: a wrong value."},
		{"failed by errors, of a latency", "p99 > 1ms", slices.Concat(both, wrong), Where{}, Undecided, "failed"},
		{"no point", "p99 > 1ms", nil, Where{}, Undecided, ": not decided: no point was measured."},
		{
			"a rate", "p99 > 200us", resultstest.OpenLoopPoints(),
			Where{RateOps: 5e5},
			Kept,
			": kept: MICA, local has 90.0 µs.",
		},
		{"no such rate", "p99 > 200us", resultstest.OpenLoopPoints(), Where{RateOps: 7}, Undecided, "no point"},
		{
			"a rehearsal", "p99 > 1ms", curve("CH-SH", 4e6, func(p *results.Point) { p.EmulatedTestbed = "lab" }),
			Where{},
			Kept, "keep it. This is a rehearsal on emulated machines.",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			list := []Threshold{*parsed(t, row.threshold)}
			o := Judge(list, row.points, row.where)[0]
			if o.Verdict != row.verdict || !strings.HasPrefix(o.Text, row.threshold+": ") ||
				!strings.Contains(o.Text, row.says) {
				t.Errorf("found %s, %q, want %s, %q", o.Verdict, o.Text, row.verdict, row.says)
			}
		})
	}
}

// TestErr: a broken threshold comes before one that is not decided.
func TestErr(t *testing.T) {
	of := func(verdicts ...Verdict) (list []Outcome) {
		for _, v := range verdicts {
			list = append(list, Outcome{Verdict: v})
		}
		return list
	}
	for _, row := range []struct {
		list []Outcome
		want error
	}{
		{nil, nil},
		{of(Kept, Kept), nil},
		{of(Kept, Undecided), ErrUndecided},
		{of(Undecided, Broken, Kept), ErrBroken},
	} {
		var b strings.Builder
		if err := Write(&b, row.list); !errors.Is(err, row.want) || strings.Count(b.String(), "\n") != len(row.list) {
			t.Errorf("%v: found %v and %q, want %v", row.list, err, b.String(), row.want)
		}
	}
}

// runs draws points of a few placements, loads and repeats, of any kind.
func runs(t *rapid.T) (points []results.Point) {
	us := rapid.Float64Range(0, 1000)
	for _, placement := range []string{"CH-SH", "CH-SD", "CD-SD"}[:rapid.IntRange(1, 3).Draw(t, "placements")] {
		for threads := range rapid.IntRange(1, 3).Draw(t, "loads") {
			for repeat := range rapid.IntRange(1, 9).Draw(t, "repeats") {
				points = append(points, resultstest.Point(func(p *results.Point) {
					p.Placement, p.ClientThreads, p.Repeat = placement, threads+1, repeat+1
					p.P99Ns, p.ThroughputOps = int64(1e3*us.Draw(t, "p99")), math.Round(1e6*us.Draw(t, "Mops")/1000)
					edits := []func(*results.Point){
						quiet, quiet, quiet, noisy, short, bound, resultstest.Failed("no answer"),
					}
					rapid.SampledFrom(edits).Draw(t, "kind")(p)
				}))
			}
		}
	}
	return points
}

var (
	nonsense = regexp.MustCompile(`NaN|Inf|undefined|%!|  |-\d|: \.|: ,|has ;|has \.`)
	value    = regexp.MustCompile(`has (at least )?[\d.]+ (µs|ns per operation|%|ops/s|kops|Mops)|has no such figure|` +
		`points? failed, such as|has no load that|no point was measured`)
)

// TestTexts: whatever a run has, a text has its threshold, its verdict, and a value with a unit.
// A threshold that is broken stays so with a tighter limit, and one that is kept with a looser one.
func TestTexts(t *testing.T) {
	within := must.Get(results.ParseBound("p99=300us"))(t)
	where := []Where{{}, {Bound: &within}}
	texts := []string{"p99 > 300us", "throughput < 500kops", "host_cpu > 1us", "misses > 1%", "errors > 0"}
	rapid.Check(t, func(r *rapid.T) {
		points, w := runs(r), rapid.SampledFrom(where).Draw(r, "where")
		for _, text := range texts {
			o := Judge([]Threshold{*parsed(t, text)}, points, w)[0]
			if nonsense.MatchString(o.Text) || !value.MatchString(o.Text) || !strings.HasSuffix(o.Text, ".") ||
				!strings.HasPrefix(o.Text, text+": "+string(o.Verdict)+": ") {
				r.Errorf("found %q", o.Text)
			}
		}
		judge := func(text string) Verdict { return Judge([]Threshold{*parsed(t, text)}, points, Where{})[0].Verdict }
		tight, loose := judge("p99 > 300us"), judge("p99 > 600us")
		if loose == Broken && tight != Broken || tight == Kept && loose != Kept {
			r.Errorf("found %s at 300 µs and %s at 600 µs", tight, loose)
		}
	})
}
