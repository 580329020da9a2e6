package dma

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"dpukv/probe"
)

// AllBytes are the study's sizes: the powers of two from 2 B to 8 MB.
func AllBytes() (all []string) {
	for n := 2; n <= maxBytes; n *= 2 {
		all = append(all, strconv.Itoa(n))
	}
	return all
}

// Row is one measurement of a series.
type Row struct {
	Settings map[string]string `json:"settings"`
	*probe.Outcome
}

// Series measures all combinations of values, one after another. It refuses before the first
// measurement what this machine can't measure. done gets each row at once.
func Series(
	ctx context.Context, values map[string][]string, t probe.Task, done func(*Row) error,
) error {
	all := Kind.All(values)
	for _, s := range all {
		if err := Kind.Examine(s, false); err != nil {
			return err
		}
	}
	for _, s := range all {
		t.Settings = s
		o, err := Kind.Measure(ctx, &t)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		if err := done(&Row{Settings: s.Map(), Outcome: o}); err != nil {
			return err
		}
	}
	return nil
}

// Table prints rows for a terminal: a header above each change of what is measured.
type Table struct {
	w      io.Writer
	header string
	said   []string // warnings
}

// NewTable returns a table without a row.
func NewTable(w io.Writer) *Table { return &Table{w: w} }

// Add prints a row, and a warning when it comes first.
func (t *Table) Add(r *Row) error {
	var b strings.Builder
	if header := headerOf(r); header != t.header {
		b.WriteString(header)
		t.header = header
	}
	core := r.Figures["core_share"] * 100
	if r.Settings["test"] == latency {
		fmt.Fprintf(&b, " %-9s %-13d %-13.2f %-15.2f %-20.2f %.0f\n", r.Settings["bytes"],
			r.Intervals[0].Histogram.TotalCount(), r.Figures["mean_latency_ns"]/1e3,
			r.Figures["p50_latency_ns"]/1e3, r.Figures["p99_latency_ns"]/1e3, core)
	} else {
		rate := r.Figures["bytes_per_s"]
		size, _ := strconv.ParseFloat(r.Settings["bytes"], 64) // the axis has whole numbers only
		fmt.Fprintf(&b, " %-9s %-13s %-20.2f %-15.4f %.0f\n", r.Settings["bytes"],
			r.Settings["batch"], rate/1e6, rate/size/1e6, core)
	}
	for _, text := range r.Warnings {
		if !slices.Contains(t.said, text) {
			t.said = append(t.said, text)
			fmt.Fprintf(&b, " warning: %s\n", text)
		}
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

func headerOf(r *Row) string {
	columns := " #bytes    batch         BW average[MB/sec]   MsgRate[Mpps]   core[%]\n"
	if r.Settings["test"] == latency {
		columns = " #bytes    #iterations   t_avg[usec]   t_median[usec]  99% percentile[usec] " +
			"core[%]\n"
	}
	return fmt.Sprintf("# DMA %s: engine %s (%s), op %s, completion %s, pages %s\n%s",
		r.Settings["test"], r.Settings["engine"], r.Facts["copied_by"], r.Settings["op"],
		r.Settings["completion"], r.Facts["far_pages"], columns)
}

// WriteJSON writes the rows as one object.
func WriteJSON(w io.Writer, rows []*Row) error {
	return json.NewEncoder(w).Encode(struct {
		Points []*Row `json:"points"`
	}{rows})
}
