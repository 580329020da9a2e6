package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"dpukv/internal/test/performance"
	"dpukv/results/compare"
)

const (
	level = .02 // p below this is a change
	least = .05 // and so much of the accepted median
)

// report prints every ratio of now beside the accepted repeats of this processor, and which have
// moved.
func report(
	out io.Writer, processor string, all []*performance.Processor, now *performance.File,
) error {
	accepted := performance.Values{}
	if at := slices.IndexFunc(all, func(p *performance.Processor) bool {
		return p.Name == processor
	}); at >= 0 {
		accepted = all[at].Values
	} else {
		fmt.Fprintf(out, "No accepted ratios for this processor, %s: found files for %s. On a quiet "+
			"machine, \"make bench\" writes one to commit.\n", processor, names(all))
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "ratio\taccepted\tnow\tp\t")
	moved, decided, measured := 0, 0, ratiosOf(now)
	for _, name := range measured {
		before, is := accepted[name], now.Values[name]
		p, note := judge(before, is)
		if note == "worse" || note == "better" {
			moved++
		}
		if !math.IsNaN(p) {
			decided++
		}
		if n := len(now.Disturbed[name]); n > 0 {
			note = strings.TrimSpace(fmt.Sprintf("%s (%d repeats set apart)", note, n))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", name, span(before), span(is), pText(p), note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d of %d ratios moved; of %d, too few quiet repeats to decide. "+
		"Chance alone moves up to %.0f.\nSet apart: %s.\n", moved, decided, len(measured)-decided,
		math.Ceil(level*float64(decided)), now.SetApart())
	return err
}

// judge returns the p of a change, and which it is. Without enough repeats to decide, p is NaN.
func judge(before, is []float64) (p float64, note string) {
	switch {
	case len(before) == 0:
		return math.NaN(), "not accepted yet"
	case len(is) == 0:
		return math.NaN(), "no quiet repeat"
	case len(is) < leastQuiet || compare.SmallestP(len(is), len(before)) >= level:
		return math.NaN(), "too few quiet repeats"
	}
	p = compare.UTest(before, is)
	change := performance.Median(is)/performance.Median(before) - 1
	switch {
	case p >= level || math.Abs(change) < least:
		return p, ""
	case change > 0:
		return p, "worse"
	}
	return p, "better"
}

// ratiosOf are the ratios of a run.
func ratiosOf(f *performance.File) []string {
	all := map[string]bool{}
	for _, values := range []performance.Values{f.Values, f.Disturbed} {
		for name := range values {
			if _, unit, _ := strings.Cut(name, " "); strings.HasPrefix(unit, "x-") {
				all[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func names(all []*performance.Processor) string {
	var list []string
	for _, p := range all {
		list = append(list, p.Name)
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, "; ")
}

func span(v []float64) string {
	if len(v) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f (%.2f-%.2f, %d)", performance.Median(v), slices.Min(v), slices.Max(v), len(v))
}

func pText(p float64) string {
	if math.IsNaN(p) {
		return "-"
	}
	return fmt.Sprintf("%.3f", p)
}
