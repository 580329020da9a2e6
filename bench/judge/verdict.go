package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// row is a figure of a subject, as two builds had it.
type row struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	interval
	BaseNs float64 `json:"base_ns"` // medians, per operation
	TreeNs float64 `json:"tree_ns"`
	// Pairs that are left out: the hypervisor stole time, or others used too much.
	Stolen    int    `json:"stolen,omitempty"`
	Disturbed int    `json:"disturbed,omitempty"`
	Refused   string `json:"refused,omitempty"`
	// Instructions is the base's median per operation, and the median ratio. 0: not counted.
	Instructions [2]float64 `json:"instructions"`
}

// verdict is what a row says.
type verdict string

const (
	slower    verdict = "slower"
	faster    verdict = "faster"
	same      verdict = "same"
	undecided verdict = "undecided"
	refused   verdict = "refused"
)

// judge compares a row with its margin. 0: it has none.
func judge(r *row, margin float64) verdict {
	switch {
	case r.Refused != "":
		return refused
	case r.Pairs < fewest || margin == 0:
		return undecided
	case r.Lo > 1+margin:
		return slower
	case r.Hi < 1-margin:
		return faster
	case r.Lo >= 1-margin && r.Hi <= 1+margin:
		return same
	}
	return undecided
}

// report prints rows with their verdicts.
func report(out io.Writer, rows []row, margins map[string]float64, counters string) error {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "row\tbase\ttree\tratio\t95 %\tmargin\tinstructions\t")
	var c counts
	reasons := map[string]bool{}
	for i := range rows {
		r := &rows[i]
		margin := margins[r.Name]
		v := judge(r, margin)
		c.add(v)
		note := string(v)
		if v == same {
			note = ""
		}
		if v == refused {
			reasons[r.Refused] = true
			fmt.Fprintf(t, "%s\t\t\t\t\t\t\trefused\n", r.Name)
			continue
		}
		fmt.Fprintf(t, "%s\t%.4g ns\t%.4g ns\t%.3f\t%.3f-%.3f\t%s\t%s\t%s\n", r.Name, r.BaseNs,
			r.TreeNs, r.Median, r.Lo, r.Hi, marginText(margin), r.instructions(), note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d of %d rows decided: %d slower, %d faster, %d within their margin. "+
		"Undecided: %d. Refused: %d.\n", c.decided, c.rows, c.slower, c.moved-c.slower,
		c.decided-c.moved, c.rows-c.decided-c.refused, c.refused)
	for reason := range reasons {
		fmt.Fprintf(out, "Refused: %s.\n", reason)
	}
	if stolen, disturbed, of := leftOut(rows); stolen+disturbed > 0 {
		fmt.Fprintf(out, "Left out of %d pairs: %d in which the hypervisor stole time, %d of servers "+
			"beside others.\n", of, stolen, disturbed)
	}
	if counters != "" {
		fmt.Fprintf(out, "Instructions: %s.\n", counters)
	}
	return nil
}

func leftOut(rows []row) (stolen, disturbed, of int) {
	for i := range rows {
		r := &rows[i]
		stolen, disturbed = stolen+r.Stolen, disturbed+r.Disturbed
		of += r.Pairs + r.Stolen + r.Disturbed
	}
	return stolen, disturbed, of
}

func marginText(margin float64) string {
	if margin == 0 {
		return "none"
	}
	return fmt.Sprintf("±%.1f %%", 100*margin)
}

func (r *row) instructions() string {
	if r.Instructions[0] == 0 {
		return "-"
	}
	return fmt.Sprintf("%.4g (%.3f)", r.Instructions[0], r.Instructions[1])
}
