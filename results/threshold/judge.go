package threshold

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// Outcome is what a run shows of one threshold.
type Outcome struct {
	Threshold string  `json:"threshold"` // as it was written
	Verdict   Verdict `json:"verdict"`
	Text      string  `json:"text"` // which configuration decided, and why
}

// Where says which points of a run count.
type Where struct {
	Bound   *results.Bound // of each line, the load within it; nil: all configurations
	RateOps float64        // only points at this offered rate; 0: all
}

// field is what counts of a run.
type field struct {
	groups []group
	failed []*results.Point
	// broken are the lines of which no load keeps the bound.
	broken    []string
	doubtful  []string // the same, but their lowest load is disturbed
	rehearsal bool
	where     Where
}

// group is a configuration, or a line at the load that counts.
type group struct {
	label   string
	repeats []*results.Point
}

// Judge decides thresholds by the points of a run.
func Judge(list []Threshold, points []results.Point, w Where) []Outcome {
	f := newField(points, w)
	outcomes := []Outcome{}
	for i := range list {
		t := &list[i]
		v, why := f.judge(t)
		text := fmt.Sprintf("%s: %s%s.", t, v, why)
		if f.rehearsal {
			text += " This is a rehearsal on emulated machines."
		}
		outcomes = append(outcomes, Outcome{t.text, v, text})
	}
	return outcomes
}

func newField(points []results.Point, w Where) *field {
	points, _ = results.Separate(points)
	ok, failed := results.Split(points)
	if w.RateOps > 0 {
		other := func(p *results.Point) bool { return p.RateOps != w.RateOps }
		ok, failed = slices.DeleteFunc(ok, other), slices.DeleteFunc(failed, other)
	}
	f := &field{failed: failed, where: w}
	said := results.Telling(results.Varying(results.Dimensions(), ok), ok)
	label := func(said []*results.Dimension, p *results.Point) string {
		f.rehearsal = f.rehearsal || p.EmulatedTestbed != ""
		if text := results.Labels(said, p); text != "" {
			return text
		}
		return results.Labels(results.Named("store", "placement"), p)
	}
	if w.Bound == nil {
		for _, g := range results.Group(results.Dimensions(), ok) {
			f.groups = append(f.groups, group{label(said, g[0]), g})
		}
		return f
	}
	lines := results.LinesOf(ok)
	for i := range lines {
		l := &lines[i]
		if m := l.Within(*w.Bound).Mark; m != nil {
			f.groups = append(f.groups, group{label(said, m.Repeats[0]), m.Repeats})
			continue
		}
		rest := results.Without(said, []*results.Dimension{l.Axis})
		text := label(rest, l.Marks[0].Repeats[0])
		if isDisturbed(l.Marks[0].Repeats) {
			f.doubtful = append(f.doubtful, text)
			continue
		}
		f.broken = append(f.broken, text)
	}
	return f
}

// judge returns the verdict, and behind a colon or a comma which configuration decided.
func (f *field) judge(t *Threshold) (v Verdict, why string) {
	worst := slices.Clone(f.groups)
	slices.SortStableFunc(worst, func(a, b group) int {
		order := cmp.Compare(t.median(b.repeats), t.median(a.repeats))
		if !t.above {
			order = -order
		}
		return order
	})
	var broken, open []group
	var reasons []string
	for _, g := range worst {
		switch v, why := t.decide(g.repeats); v {
		case Broken:
			broken = append(broken, g)
		case Undecided:
			open, reasons = append(open, g), append(reasons, why)
		}
	}
	if text := f.failedBreak(t); text != "" {
		return Broken, text
	}
	switch {
	case len(f.broken) > 0:
		return Broken, fmt.Sprintf(": %s has no load that keeps %s", f.broken[0], f.where.Bound)
	case len(broken) > 0:
		return Broken, ": " + t.said(broken[0]) + f.among(len(broken), "break it")
	case len(f.doubtful) > 0:
		return Undecided, fmt.Sprintf(": %s has no load that keeps %s, but %s", f.doubtful[0],
			f.where.Bound, disturbed)
	case len(f.failed) > 0:
		p := f.failed[0]
		return Undecided, fmt.Sprintf(": %s failed, such as %s: %s",
			numfmt.Count(len(f.failed), "point"), p.ID, reason(p))
	case len(open) > 0:
		return Undecided, ": " + t.said(open[0]) + ", but " + reasons[0] +
			f.among(len(open), "decide nothing")
	case len(worst) == 0:
		return Undecided, ": no point was measured"
	}
	nearest := ": "
	if len(worst) > 1 {
		nearest = ": the nearest to it, "
	}
	return Kept, nearest + t.said(worst[0]) + f.among(len(worst), "keep it")
}

// isDisturbed reports whether so many repeats are disturbed that the others do not agree.
func isDisturbed(repeats []*results.Point) bool {
	quiet := results.Count(repeats, func(p *results.Point) bool {
		return !p.Warnings.Has(results.Disturbed)
	})
	return !agree(quiet, len(repeats))
}

// said names a configuration with its value.
func (t *Threshold) said(g group) string {
	return fmt.Sprintf("%s has %s", g.label, cmp.Or(t.value(g.repeats), "no such figure"))
}

// among says how many configurations have a verdict, if there are several.
func (f *field) among(n int, do string) string {
	if len(f.groups) < 2 {
		return ""
	}
	switch {
	case n == len(f.groups) && n == 2:
		return "; both configurations " + do
	case n == len(f.groups):
		return fmt.Sprintf("; all %d configurations %s", n, do)
	case n == 1:
		do = strings.Replace(do, " ", "s ", 1) // "breaks it"
	}
	return fmt.Sprintf("; %d of %d configurations %s", n, len(f.groups), do)
}

// failedBreak names a point that failed with errors beyond the limit. They are counted, unlike its
// other figures.
func (f *field) failedBreak(t *Threshold) string {
	if t.figure.Name != "errors" || !t.above {
		return ""
	}
	for _, p := range f.failed {
		if x := t.figure.Of(p); p.Errors+p.Timeouts > 0 && t.beyond(x) {
			return fmt.Sprintf(": %s has %s; it failed: %s", p.ID, t.figure.Unit.Text(x),
				reason(p))
		}
	}
	return ""
}

// reason is the first line of a failed point's error, without a dot at its end.
func reason(p *results.Point) string {
	first, _, _ := strings.Cut(p.Error, "\n")
	return strings.TrimRight(first, ".")
}

// Write writes a line for each outcome. The error is that of [Err], or of the writer.
func Write(w io.Writer, outcomes []Outcome) error {
	for _, o := range outcomes {
		if _, err := fmt.Fprintln(w, o.Text); err != nil {
			return err
		}
	}
	return Err(outcomes)
}

// ErrBroken and ErrUndecided are wrapped by the error of outcomes.
var (
	ErrBroken    = errors.New("broken thresholds")
	ErrUndecided = errors.New("thresholds that are not decided")
)

// Err is nil if all thresholds are kept. A broken one comes before one that is not decided.
func Err(outcomes []Outcome) error {
	if n := count(outcomes, Broken); n > 0 {
		return fmt.Errorf("found %w: %d of %d", ErrBroken, n, len(outcomes))
	}
	if n := count(outcomes, Undecided); n > 0 {
		return fmt.Errorf("found %w: %d of %d", ErrUndecided, n, len(outcomes))
	}
	return nil
}

func count(outcomes []Outcome, v Verdict) (n int) {
	for _, o := range outcomes {
		if o.Verdict == v {
			n++
		}
	}
	return n
}
