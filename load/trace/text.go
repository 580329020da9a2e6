package trace

import (
	"fmt"
	"io"
	"strings"
	"time"

	"dpukv/internal/numfmt"
)

// rows is a text of names with their values.
type rows struct{ strings.Builder }

func (r *rows) add(name, format string, args ...any) {
	line := fmt.Sprintf("%-14s%s", name, fmt.Sprintf(format, args...))
	r.WriteString(strings.TrimRight(line, " ") + "\n")
}

// WriteText writes what a summary says.
func (s *Summary) WriteText(w io.Writer) error {
	var r rows
	s.text(&r)
	_, err := io.WriteString(w, r.String())
	return err
}

func (s *Summary) text(r *rows) {
	r.add("source", "%s (%s), %s", s.Source.Name, s.Source.Format,
		numfmt.Count(s.Source.Bytes, "byte"))
	r.add("operations", "%s in %s", numfmt.Grouped(s.Operations), duration(s.LastNs))
	for _, op := range s.Ops {
		as := op.As
		if as == "" {
			as = "left out"
		}
		r.add("", "%-10s %-8s %s", op.Name, as, numfmt.Grouped(op.Count))
	}
	r.add("keys", "%s", numfmt.Grouped(s.Keys))
	if s.SpreadNs > 0 {
		r.add("times", "in units of %s; operations of one time are spread over it",
			duration(s.SpreadNs))
	}
	s.changes(r)
}

// changes are what is not as in the source.
func (s *Summary) changes(r *rows) {
	for _, c := range []struct {
		n          uint64
		thing, how string
	}{
		{s.KeysLengthened, "key", "lengthened: too short to differ from others as numbers"},
		{s.KeySizeChanged, "operation", "with another key size than before; the first one counts"},
		{s.KeysCut, "key", "cut: larger than a store takes"},
		{s.ValuesCut, "value", "cut: larger than a store takes"},
		{s.TTLsCut, "TTL", "cut to 30 days"},
		{s.Malformed, "line", "left out: malformed"},
	} {
		if c.n > 0 {
			r.add("changed", "%s %s", numfmt.Count(c.n, c.thing), c.how)
		}
	}
	for _, m := range s.MalformedExamples {
		r.add("", "line %d: %s: %q", m.Line, m.Reason, m.Text)
	}
	if s.CutOff {
		r.add("changed", "the last line left out: it has no end, so the file may be cut off")
	}
}

// WriteText writes what a trace's operations tell.
func (s *Stats) WriteText(w io.Writer) error {
	var r rows
	s.Summary.text(&r)
	r.add("GETs", "%s", percent(s.GetRatio))
	if s.Expiring > 0 {
		r.add("with a TTL", "%s", numfmt.Count(s.Expiring, "operation"))
	}
	r.add("key bytes", "%s", s.KeyBytes)
	r.add("value bytes", "%s", s.ValueBytes)
	r.add("working set", "%s, of all keys with their last values",
		numfmt.Count(s.WorkingSetBytes, "byte"))
	r.add("one-hit keys", "%s: %s of the keys", numfmt.Grouped(s.OneHitKeys),
		percent(float64(s.OneHitKeys)/float64(s.Summary.Keys)))
	r.add("popularity", "%s", s.Zipf)
	if s.RateOps > 0 {
		r.add("rate", "%s on average", numfmt.Rate(s.RateOps))
		s.slices(&r)
	}
	_, err := io.WriteString(w, r.String())
	return err
}

// barWidth is the length of the longest bar.
const barWidth = 40

func (s *Stats) slices(r *rows) {
	most := 0.0
	for _, slice := range s.Slices {
		most = max(most, slice.RateOps)
	}
	unit := numfmt.RateUnit(most)
	for _, slice := range s.Slices {
		bar := strings.Repeat("#", int(barWidth*slice.RateOps/most+0.5))
		r.add("", "from %-10s %12s  %s", duration(slice.FromNs), unit.Of(slice.RateOps), bar)
	}
}

func (s Spread) String() string {
	return fmt.Sprintf("mean %s, median %d, p99 %d, largest %d", numfmt.Short(s.Mean), s.Median,
		s.P99, s.Max)
}

func (z *Zipf) String() string {
	if z == nil {
		return fmt.Sprintf("no fit: fewer than %d keys have %d operations or more", leastKeys,
			leastOperations)
	}
	return fmt.Sprintf("zipf:%.3f fits best, off by at most %s; by the %s with %d operations or "+
		"more, which have %s of all", z.Exponent, percent(z.Distance), numfmt.Count(z.Keys, "key"),
		leastOperations, percent(z.Share))
}

func percent(share float64) string { return numfmt.Digits3(100*share) + " %" }

func duration(ns int64) string {
	if ns == 0 {
		return "0 s"
	}
	return numfmt.Duration(time.Duration(ns))
}
