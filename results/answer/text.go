package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// answer puts the outcome of a race into words.
func (r *race) answer(noun string, o *Options) Case {
	c := Case{Condition: r.condition, Best: r.entries[0].label, behind: r.decisive()}
	c.Warnings = warningsOf(c.behind)
	switch {
	case r.entries[0].mark == nil:
		c.Verdict, c.Best, c.Text = None, "", r.none(noun, o)
		return c
	case len(r.entries) == 1:
		c.Verdict, c.Text = Alone, r.alone()
	case len(r.others()) == 0:
		c.Verdict = Only
		c.Text = fmt.Sprintf("%s is the only %s that %s: %s. No test says how sure this is.",
			c.Best, noun, r.by.fits, r.by.measured(&r.entries[0], " "+r.by.where))
	default:
		c.Verdict, c.Text = r.verdict, r.compared(noun)
	}
	c.Text += r.beside() + r.hitRates() + r.reads()
	if s, shown := r.saves(); shown {
		c.Text += s.String()
	}
	switch broken := r.broken(); {
	case o.RateOps > 0:
		c.Text += r.costs() + r.absent(o)
	case broken != "":
		c.Text += " No load of " + broken + " keeps the bound."
	}
	return c.notShown(r, o)
}

// none says that no line has a mark.
func (r *race) none(noun string, o *Options) string {
	if o.RateOps > 0 {
		return "No " + noun + " is ranked " + r.by.where + "." + r.absent(o)
	}
	return fmt.Sprintf("No load keeps %s.", o.Bound)
}

// notShown says of the best line that its figure rests on estimates without a high end.
func (c Case) notShown(r *race, o *Options) Case {
	if o.Bound == nil && o.RateOps == 0 {
		return c
	}
	best, of := r.entries[0].mark, results.Bound{Metric: o.Metric}
	says := "The latency of %s may be longer"
	if o.Bound != nil {
		of, says = *o.Bound, "%s is not shown to keep the bound"
	}
	if open := best.NotShown(of); open > 0 {
		c.Text += fmt.Sprintf(" "+says+": in %d of %s, the interval of its %s has no high end. "+
			"Measure longer.", c.Best, open, numfmt.Count(len(best.Repeats), "repeat"),
			of.Metric.Title)
	}
	return c
}

func (r *race) alone() string {
	e := &r.entries[0]
	return fmt.Sprintf("%s has %s. There is nothing to compare it with.", e.label,
		r.by.measured(e, " "+r.by.where))
}

// allAlone says what the best line has, if several cases have one line each. It is "" for others.
func allAlone(races []race) (Verdict, string) {
	best := &races[0]
	for i := range races {
		r := &races[i]
		if len(r.entries) != 1 || r.entries[0].mark == nil || len(races) == 1 {
			return "", ""
		}
		if r.by.order(r.entries[0].figure) < best.by.order(best.entries[0].figure) {
			best = r
		}
	}
	e := &best.entries[0]
	return Alone, fmt.Sprintf("%s has %s, the best of %d cases (%s). There is nothing to compare "+
		"it with.", e.label, best.by.measured(e, " "+best.by.where), len(races), best.condition)
}

// compared says first by how much the best line leads, and then how sure that is.
func (r *race) compared(noun string) string {
	best, next := &r.entries[0], &r.entries[1]
	size := r.by.lead(best, next)
	switch r.verdict {
	case Sure:
		return fmt.Sprintf("%s %s: %s. %s.", best.label, r.is(noun), size, saidP(r.corrected))
	case Far:
		return fmt.Sprintf("%s %s: %s. They are far apart: no test is needed.", best.label,
			r.is(noun), size)
	case TooFew:
		return fmt.Sprintf("%s has %s. These repeats are too few for a test: found %d, needed: %d.",
			best.label, size, next.behind.rounds(), r.needed)
	}
	alike, close := []string{best.label}, r.close()
	for _, e := range close {
		alike = append(alike, e.label)
	}
	// p is that of the line that is the hardest to tell from the best.
	next = slices.MaxFunc(close, func(a, b *entry) int {
		return cmp.Compare(a.behind.p, b.behind.p)
	})
	return fmt.Sprintf("%s are not told apart: %s has %s. %s.", joined(alike), best.label,
		r.by.lead(best, next), saidP(r.corrected))
}

// is says what the first line is. A rehearsal has no best.
func (r *race) is(noun string) string {
	if r.rehearsal() {
		return "leads"
	}
	return "is the best " + noun
}

// rehearsal reports whether the race is on emulated machines: then its order is that of their
// profiles.
func (r *race) rehearsal() bool {
	return slices.ContainsFunc(r.all(), func(e *entry) bool {
		return e.first().EmulatedTestbed != ""
	})
}

// close are the lines that the test does not tell from the best. After the correction over all
// races that may be the next line, which the test alone tells from it.
func (r *race) close() (list []*entry) {
	for i := range r.others() {
		e := &r.others()[i]
		alike := e.behind.p > alpha || e.behind.ratio.Estimate < 1+MinChange
		if alike && !e.behind.far {
			list = append(list, e)
		}
	}
	if list == nil {
		list = []*entry{&r.entries[1]}
	}
	return list
}

// broken names the lines that do not keep the bound.
func (r *race) broken() string {
	var labels []string
	for i := range r.entries {
		if r.entries[i].mark == nil {
			labels = append(labels, r.entries[i].label)
		}
	}
	return joined(labels)
}

// decisive are the points that a text rests on: those of the best and the next mark. Without any,
// they are what kept the lines from having one.
func (r *race) decisive() (list []*results.Point) {
	for _, e := range r.entries[:min(2, len(r.entries))] {
		if e.mark != nil {
			list = append(list, e.mark.Repeats...)
		}
	}
	if list != nil {
		return list
	}
	for i := range r.entries {
		list = append(list, r.entries[i].against(r.rate)...)
	}
	return list
}

// against are the repeats that kept a line from having a mark: at the rate, or at the lowest load,
// which already breaks the bound.
func (e *entry) against(rate float64) []*results.Point {
	if rate == 0 {
		return e.line.Marks[0].Repeats
	}
	if m := e.at(rate); m != nil {
		return m.Repeats
	}
	return nil
}

// warningsOf names the kinds of warnings that the points behind a text have.
func warningsOf(behind []*results.Point) []string {
	var list []string
	for _, kind := range results.ValidityKinds() {
		with := results.Count(behind, func(p *results.Point) bool { return p.Warnings.Has(kind) })
		if with > 0 {
			list = append(list,
				fmt.Sprintf("%s (%d of %d points behind this)", kind, with, len(behind)))
		}
	}
	return list
}

// summary is the text above several cases, and the verdict that they share.
func summary(cases []Case, is, noun, fits string) (Verdict, string) {
	if len(cases) == 1 {
		return cases[0].Verdict, cases[0].Text
	}
	count, wins := map[Verdict]int{}, map[string]int{}
	var order []string
	for i := range cases {
		c := &cases[i]
		count[c.Verdict]++
		if c.Verdict == Sure || c.Verdict == Far {
			if wins[c.Best]++; wins[c.Best] == 1 {
				order = append(order, c.Best)
			}
		}
	}
	var parts []string
	for _, best := range order {
		parts = append(parts, fmt.Sprintf("%s %s in %d of %d cases", best, is, wins[best],
			len(cases)))
	}
	for _, of := range []struct {
		verdict Verdict
		says    string
	}{
		{Tie, "the best are not told apart in %d"},
		{TooFew, "too few repeats for a verdict in %d"},
		{Only, "only one " + noun + " " + fits + " in %d"},
		{None, "no " + noun + " " + fits + " in %d"},
		{Alone, "nothing to compare in %d"},
	} {
		if n := count[of.verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf(of.says+" of %d", n, len(cases)))
		}
	}
	text := strings.Join(parts, "; ") + "."
	text = strings.ToUpper(text[:1]) + text[1:]
	for v, n := range count {
		if n == len(cases) {
			return v, text
		}
	}
	return Mixed, text
}

func joined(labels []string) string {
	if n := len(labels); n > 1 {
		return strings.Join(labels[:n-1], ", ") + " and " + labels[n-1]
	}
	return strings.Join(labels, "")
}
