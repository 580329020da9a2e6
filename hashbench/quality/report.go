package quality

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"dpukv/hashbench"
)

// Row is one function with one kind of keys.
type Row struct {
	Function  string    `json:"function"`
	KeyBytes  int       `json:"key_bytes"`
	Keys      Keys      `json:"keys"`
	Avalanche Bias      `json:"avalanche"`
	Overflow  []float64 `json:"overflow"` // of buckets, at each load
	Warnings  []string  `json:"doubts"`   // deviations from a random function
}

// Report has all rows and the values to compare them with.
type Report struct {
	Loads    []float64 `json:"loads"`
	Expected []float64 `json:"expected_overflow"` // of a random function, at each load
	Buckets  int       `json:"buckets"`
	Keys     int       `json:"avalanche_keys"`
	Seed     uint64    `json:"seed"`
	Rows     []Row     `json:"rows"`
}

// Config sets the number of trials.
type Config struct {
	Buckets int // for overflows
	Keys    int // for the avalanche
	Seed    uint64
}

// Default takes some seconds for all functions; Quick takes a tenth of that.
var (
	Default = Config{Buckets: 1 << 14, Keys: 4096, Seed: 1}
	Quick   = Config{Buckets: 1 << 11, Keys: 512, Seed: 1}
)

// Run tests functions with keys of 8 and 16 bytes, sequential and random.
func Run(ctx context.Context, list []hashbench.Func, cfg Config) (*Report, error) {
	r := &Report{Loads: Loads(), Buckets: cfg.Buckets, Keys: cfg.Keys, Seed: cfg.Seed}
	for _, load := range r.Loads {
		r.Expected = append(r.Expected, Expected(load))
	}
	for _, f := range list {
		for _, bytes := range []int{8, 16} {
			for _, keys := range []Keys{Sequential, Random} {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				r.Rows = append(r.Rows, r.row(f, bytes, keys))
			}
		}
	}
	return r, nil
}

func (r *Report) row(f hashbench.Func, bytes int, keys Keys) Row {
	row := Row{
		Function: f.Name, KeyBytes: bytes, Keys: keys,
		Avalanche: Avalanche(f, keys, bytes, r.Keys, r.Seed), Warnings: []string{},
	}
	for _, load := range r.Loads {
		row.Overflow = append(row.Overflow, Overflow(f, keys, bytes, r.Buckets, load, r.Seed))
	}
	row.warn(r)
	return row
}

// tolerance is the number of standard deviations beyond the random share that count as a warning.
const tolerance = 5

func (row *Row) warn(r *Report) {
	if b := row.Avalanche; b.Worst > 2*b.Chance {
		row.Warnings = append(row.Warnings,
			fmt.Sprintf("a bit of the hash follows a bit of the key with a bias of %.2f from one "+
				"half", b.Worst))
	}
	for i, share := range row.Overflow {
		if most := r.Expected[i] + tolerance*deviation(r.Expected[i], r.Buckets); share > most {
			row.Warnings = append(row.Warnings,
				fmt.Sprintf("at load %g %.1f %% of the buckets overflow, at random %.1f %% would",
					r.Loads[i], 100*share, 100*r.Expected[i]))
		}
	}
}

// WriteTable writes the report for a terminal.
func (r *Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "function\tkeys\tworst bias\tmean bias\t")
	for _, load := range r.Loads {
		fmt.Fprintf(t, "load %g, %% over\t", load)
	}
	fmt.Fprint(t, "\n")
	line := func(name, keys, bias string, shares []float64) {
		fmt.Fprintf(t, "%s\t%s\t%s\t", name, keys, bias)
		for _, s := range shares {
			fmt.Fprintf(t, "%.2f\t", 100*s)
		}
		fmt.Fprint(t, "\n")
	}
	line("(random)", "", "\t", r.Expected)
	for _, row := range r.Rows {
		line(row.Function, fmt.Sprintf("%d B %s", row.KeyBytes, row.Keys),
			fmt.Sprintf("%.3f\t%.4f", row.Avalanche.Worst, row.Avalanche.Mean), row.Overflow)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return r.writeWarnings(w)
}

func (r *Report) writeWarnings(w io.Writer) error {
	var b strings.Builder
	if len(r.Rows) > 0 {
		fmt.Fprintf(&b, "\nBias: over all pairs of a key bit and a hash bit, of %d keys. Chance "+
			"alone gives a worst bias of about %.3f. Buckets: %d of %d slots.\n",
			r.Keys, r.Rows[0].Avalanche.Chance, r.Buckets, SlotsPerBucket)
	}
	for _, row := range r.Rows {
		for _, d := range row.Warnings {
			fmt.Fprintf(&b, "  - %s, %d B %s: %s\n", row.Function, row.KeyBytes, row.Keys, d)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
