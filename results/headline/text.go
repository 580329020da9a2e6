package headline

import (
	"fmt"
	"math"
	"strings"

	"dpukv/results"
	"dpukv/results/compare"
	"dpukv/results/internal/numfmt"
)

// answer puts the outcome of a race into words.
func (r *race) answer(noun string, o *Options) Case {
	c := Case{Condition: r.condition, Best: r.entries[0].label}
	if r.entries[0].mark != nil {
		c.Warnings = r.warnings()
	}
	switch {
	case r.entries[0].mark == nil:
		c.Verdict, c.Best = None, ""
		c.Text = fmt.Sprintf("No load keeps %s.", o.Bound)
		return c
	case len(r.entries) == 1:
		c.Verdict, c.Text = Alone, r.alone()
	case r.entries[1].mark == nil:
		c.Verdict = Only
		c.Text = fmt.Sprintf("%s is the only %s with throughput %s: %s. No test says how sure "+
			"this is.", c.Best, noun, r.basis, r.entries[0].measured(""))
	case r.row.Verdict == compare.TooFew:
		c.Verdict, c.Text = TooFew, r.tooFew()
	case r.row.Verdict == compare.Better:
		c.Verdict = Sure
		c.Text = fmt.Sprintf("%s is the best %s: %s %s, %s %s (%s).", c.Best, noun,
			mops(r.entries[0].figure), r.basis, more(r.row.Change), r.entries[1].label,
			r.evidence())
	default:
		c.Verdict, c.Text = Tie, r.tie()
	}
	if broken := r.broken(); broken != "" {
		c.Text += " No load of " + broken + " keeps the bound."
	}
	return c
}

func (r *race) alone() string {
	e := &r.entries[0]
	return fmt.Sprintf("%s has %s. There is nothing to compare it with.", e.label,
		e.measured(" "+r.basis))
}

func (r *race) tooFew() string {
	best, next := &r.entries[0], &r.entries[1]
	return fmt.Sprintf("No difference shown: %s has the highest throughput, %s %s, and %s has %s. "+
		"Repeats of each: found %d, needed: %d.", best.label, mops(best.figure), r.basis,
		next.label, mops(next.figure), min(r.row.A.N, r.row.B.N), r.row.Needed)
}

// tie names the lines that the test does not tell from the best. After the correction over all
// cases that may be the next line, which the test alone tells from it.
func (r *race) tie() string {
	alike := r.close
	if len(alike) == 0 {
		alike = []string{r.entries[1].label}
	}
	best := &r.entries[0]
	return fmt.Sprintf("No difference shown between %s and %s: %s has %s %s, %s %s (%s).",
		best.label, joined(alike), best.label, mops(best.figure), r.basis, more(r.row.Change),
		r.entries[1].label, r.evidence())
}

// evidence is the interval of the difference to the next line, the p, and the repeats.
func (r *race) evidence() string {
	var parts []string
	if r.row.Lo != nil && r.row.Hi != nil {
		parts = append(parts, fmt.Sprintf("%g %% interval: %s to %s", 100*results.Confidence,
			percent(*r.row.Lo), percent(*r.row.Hi)))
	}
	parts = append(parts, fmt.Sprintf("p = %.2g", r.row.Corrected))
	if r.row.A.N == r.row.B.N {
		return strings.Join(append(parts, fmt.Sprintf("%d repeats each", r.row.A.N)), "; ")
	}
	return strings.Join(append(parts, fmt.Sprintf("%d and %d repeats", r.row.B.N, r.row.A.N)), "; ")
}

// measured is the median of a line's figure, with its interval and its repeats.
func (e *entry) measured(basis string) string {
	text := mops(e.figure) + basis + " ("
	if m := compare.Median(e.mark.Repeats, &throughput); m.Lo != nil && m.Hi != nil {
		text += fmt.Sprintf("%g %% interval: %s to %s; ", 100*results.Confidence, mops(*m.Lo),
			mops(*m.Hi))
	}
	return text + numfmt.Count(len(e.mark.Repeats), "repeat") + ")"
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

// warnings name the kinds of warnings that the best and the next mark have.
func (r *race) warnings() []string {
	var list []string
	for _, kind := range results.ValidityWarnings {
		with, all := 0, 0
		for _, e := range r.entries[:min(2, len(r.entries))] {
			if e.mark == nil {
				continue
			}
			for _, p := range e.mark.Repeats {
				all++
				if strings.Contains(strings.Join(p.Warnings, "\n"), kind) {
					with++
				}
			}
		}
		if with > 0 {
			list = append(list, fmt.Sprintf("%s (%d of %d points behind this)",
				strings.TrimSuffix(kind, ":"), with, all))
		}
	}
	return list
}

// summary is the text above several cases, and the verdict that they share.
func summary(cases []Case, noun string) (Verdict, string) {
	if len(cases) == 1 {
		return cases[0].Verdict, cases[0].Text
	}
	count, wins := map[Verdict]int{}, map[string]int{}
	var order []string
	for i := range cases {
		c := &cases[i]
		count[c.Verdict]++
		if c.Verdict == Sure {
			if wins[c.Best]++; wins[c.Best] == 1 {
				order = append(order, c.Best)
			}
		}
	}
	var parts []string
	for _, best := range order {
		parts = append(parts, fmt.Sprintf("%s is the best %s in %d of %d cases", best, noun,
			wins[best], len(cases)))
	}
	for _, of := range []struct {
		verdict Verdict
		says    string
	}{
		{Tie, "no difference is shown in %d"},
		{TooFew, "too few repeats for a verdict in %d"},
		{Only, "only one " + noun + " keeps the bound in %d"},
		{None, "no load keeps the bound in %d"},
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

func mops(ops float64) string {
	if ops < 1e5 {
		return numfmt.Digits3(ops/1e3) + " kops"
	}
	return numfmt.Digits3(ops/1e6) + " Mops"
}

// more is a relative change in words, up to the name of what it is relative to.
func more(change float64) string {
	if change >= 1 {
		return fmt.Sprintf("%s times that of", numfmt.Digits3(1+change))
	}
	return percent(change) + " more than"
}

// percent writes a share with two significant digits.
func percent(share float64) string {
	if math.Abs(share) >= 0.1 {
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}
