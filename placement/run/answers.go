package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"dpukv/internal/numfmt"
	"dpukv/placement/search"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// rateAnswer is the result of the search of one configuration.
type rateAnswer struct {
	search.Answer
	label string
	peak  float64
	at    map[float64][]*results.Point // points by rate
}

// answers returns the results of a search, in the order of its configurations.
func (r *ratePlan) answers() []rateAnswer {
	labels := labels(r.sweep, r.configs)
	list := make([]rateAnswer, len(r.configs))
	for i := range r.configs {
		a := rateAnswer{label: labels[i], peak: r.peak(i), at: map[float64][]*results.Point{}}
		for _, p := range r.atRates[i] {
			a.at[p.RateOps] = append(a.at[p.RateOps], p)
		}
		a.Answer = search.Answer{Outcome: search.Unfinished}
		if a.peak > 0 {
			a.Answer = r.search(i).Answer(r.trials(i))
		}
		list[i] = a
	}
	return list
}

// answered returns the points at the rates that the search found.
func (r *ratePlan) answered() (list []results.Point) {
	for _, a := range r.answers() {
		if a.Rate == 0 {
			continue
		}
		for _, p := range a.at[a.Rate] {
			list = append(list, *p)
		}
	}
	return list
}

// labels tell configurations apart.
func labels(s *sweep.Sweep, configs []sweep.Config) []string {
	points := make([]*results.Point, len(configs))
	for i := range configs {
		pt := s.Point(&configs[i], 1)
		points[i] = new(results.Point)
		pt.Asked(points[i])
	}
	varying := results.Varying(results.Dimensions(), points)
	if len(varying) == 0 {
		varying = results.Named("store", "placement")
	}
	labels := make([]string, len(points))
	for i, p := range points {
		labels[i] = results.Labels(varying, p)
	}
	return labels
}

// writeAnswers writes the answers as a table, then what limits them. The error has the
// configurations without an answer.
func (r *ratePlan) writeAnswers(w io.Writer) error {
	var b bytes.Buffer
	var errs []error
	all := r.answers()
	ops, ns := r.units(all)
	fmt.Fprintf(&b, "\nHighest rate with %s:\n\n", r.bound)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "configuration\trate\t95 %% interval\tof the peak\tslope\tthere\tbeyond\n")
	for i := range all {
		a := &all[i]
		if a.Rate == 0 {
			errs = append(errs, fmt.Errorf("%s: %s", a.label, r.refusal(a)))
			fmt.Fprintf(table, "%s\tno answer\n", a.label)
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%.0f %%\t%s\t%s\t%s\n", a.label, ops.Exact(a.Rate),
			a.interval(ops), 100*a.Rate/a.peak, a.slope(), ns.Of(r.medianNs(a.at[a.Rate])),
			r.beyond(a, ops, ns))
	}
	table.Flush()
	if len(errs) < len(all) {
		fmt.Fprintf(&b, "\nslope: over this part of the rate, the share of points within the "+
			"bound falls from 3/4 to 1/4\n")
	}
	for i := range all {
		for _, note := range notes(&all[i]) {
			fmt.Fprintf(&b, "\n%s: %s\n", all[i].label, note)
		}
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return err
	}
	if errs == nil {
		return nil
	}
	return fmt.Errorf("no answer for %d of %d configurations:\n%w", len(errs), len(all),
		errors.Join(errs...))
}

// units are those of all rates and latencies of the table: that of the greatest.
func (r *ratePlan) units(all []rateAnswer) (ops, ns numfmt.Unit) {
	var rate, latency float64
	for i := range all {
		a := &all[i]
		rate = max(rate, a.Rate, a.Low, a.High)
		for _, at := range []float64{a.Rate, a.Beyond} {
			if repeats := a.at[at]; len(repeats) > 0 {
				latency = max(latency, r.medianNs(repeats))
			}
		}
	}
	return numfmt.RateUnit(rate), numfmt.TimeUnit(latency)
}

// interval is the confidence interval in words.
func (a *rateAnswer) interval(ops numfmt.Unit) string {
	switch {
	case a.Low == 0 && a.High == 0:
		return "too few repeats"
	case a.Low == 0:
		return "to " + ops.Exact(a.High)
	case a.High == 0:
		return "from " + ops.Exact(a.Low)
	}
	return ops.Exact(a.Low) + " to " + ops.Exact(a.High)
}

// slope is the fall of the share within from 3/4 to 1/4, in words.
func (a *rateAnswer) slope() string {
	switch {
	case a.Slope == 0:
		return "none"
	case a.Slope <= a.Beyond/a.Rate-1:
		return fmt.Sprintf("under %.1f %%", 100*a.Slope)
	}
	return fmt.Sprintf("about %.2g %%", 100*a.Slope)
}

func exactRates(ops []float64) string {
	var rates []string
	for _, rate := range ops {
		rates = append(rates, numfmt.ExactRate(rate))
	}
	return strings.Join(rates, ", ")
}

// medianNs is the median latency of the repeats at a rate.
func (r *ratePlan) medianNs(repeats []*results.Point) float64 {
	return results.SpreadBy(repeats, r.bound.Metric.Of).Median
}

// beyond describes the lowest rate that is not within the bound.
func (r *ratePlan) beyond(a *rateAnswer, ops, ns numfmt.Unit) string {
	if a.Beyond == 0 {
		return "kept up to the peak"
	}
	return r.why(a.at[a.Beyond], ns) + " at " + ops.Exact(a.Beyond)
}

// why tells why a rate is not within the bound.
func (r *ratePlan) why(repeats []*results.Point, ns numfmt.Unit) string {
	missed := 0
	for _, p := range repeats {
		if !reached(p) {
			missed++
		}
	}
	if 2*missed > len(repeats) {
		return "rate missed"
	}
	return ns.Of(r.medianNs(repeats))
}

// refusal tells why there is no answer, and what to do.
func (r *ratePlan) refusal(a *rateAnswer) string {
	beyond := a.at[a.Beyond]
	_, ns := r.units([]rateAnswer{*a})
	switch a.Outcome {
	case search.LowestViolates:
		return fmt.Sprintf("found %s at the lowest rate, %s (%.0f %% of the peak), allowed: %s; "+
			"loosen the bound, or add lower shares to rates",
			r.why(beyond, ns), numfmt.ExactRate(a.Beyond), 100*a.Beyond/a.peak, r.bound)
	case search.Inverted:
		return fmt.Sprintf("found %s at %s, and the bound kept at a higher rate, %s, allowed: %s "+
			"at all lower rates; look at the warnings, and at dpukv doctor",
			r.why(beyond, ns), numfmt.ExactRate(a.Beyond), numfmt.ExactRate(a.Above), r.bound)
	case search.Unsettled:
		return fmt.Sprintf("found both verdicts again and again near %s, allowed: a verdict after "+
			"%d points; lengthen duration, and look at dpukv doctor",
			numfmt.ExactRate(a.Beyond), r.search(0).Most())
	}
	return "points are missing"
}

// notes tell what limits an answer.
func notes(a *rateAnswer) (list []string) {
	list = a.moved()
	if a.Rate == 0 {
		return list
	}
	list = append(list, a.again()...)
	if a.Above > 0 {
		list = append(list, fmt.Sprintf("the bound broke at %s and kept at a higher rate, %s: the "+
			"latency does not follow the load there, or chance decides", numfmt.ExactRate(a.Beyond),
			numfmt.ExactRate(a.Above)))
	}
	if len(a.Below) > 0 {
		list = append(list, fmt.Sprintf("tried below: %s. Rates between them that break the bound "+
			"would not show", exactRates(a.Below)))
	}
	if a.Outcome == search.KeptUpToPeak {
		list = append(list, "the bound holds at every rate up to the peak of the closed loop. So "+
			"the rate is a lower limit: more client threads or a larger window may show more")
	}
	if n := clientLimited(a.at[a.Rate]) + clientLimited(a.at[a.Beyond]); n > 0 {
		list = append(list, fmt.Sprintf("the client may be the limit, not the server: its CPUs "+
			"were full or its schedule late in %d of %d points at the answer and beyond. Give the "+
			"client more CPUs", n, len(a.at[a.Rate])+len(a.at[a.Beyond])))
	}
	short := 0
	for _, p := range a.at[a.Rate] {
		if p.Warnings.Has(results.TooShort, results.TooShortP99, results.TooShortP999) {
			short++
		}
	}
	if short > 0 {
		list = append(list, fmt.Sprintf("%d of %d points at the answer are too short for a "+
			"percentile: lengthen duration", short, len(a.at[a.Rate])))
	}
	return list
}

// moved tells what changed while the search measured.
func (a *rateAnswer) moved() (list []string) {
	if way := map[int]string{-1: "fell", 1: "rose"}[a.Drift]; way != "" {
		list = append(list, fmt.Sprintf("the limit %s while the search measured: earlier and "+
			"later points of one rate disagree. So the answer is that of no one time", way))
	}
	if a.PeakDrift != 0 {
		list = append(list, fmt.Sprintf("the peak %s while the search measured",
			numfmt.Change(a.PeakDrift)))
	}
	return list
}

// again tells which ends were not as before when they were measured again.
func (a *rateAnswer) again() (list []string) {
	for _, rate := range a.Turned() {
		late := map[float64]search.Share{a.Rate: a.Again, a.Beyond: a.AgainBeyond}[rate]
		list = append(list, fmt.Sprintf("measured again at the end, %s kept the bound in %d of %d "+
			"points, unlike before: the limit moved, or chance decides there",
			numfmt.ExactRate(rate), late.Within, late.Trials))
	}
	return list
}

// clientLimited counts the points in which the client, not the server, was the limit.
func clientLimited(repeats []*results.Point) (n int) {
	for _, p := range repeats {
		side := p.Bottleneck().Side
		if side == results.SideClient || side == results.SideBoth ||
			p.Warnings.Has(results.ScheduleLate) {
			n++
		}
	}
	return n
}
