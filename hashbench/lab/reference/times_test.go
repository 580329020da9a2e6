package reference

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"dpukv/hashbench"
	"dpukv/hashbench/measure"
	"dpukv/hashbench/result"
	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
)

var times = flag.Duration("times", 0, "measure Go's time over C's for about so long (make bench-hash-c)")

// The limits on Go's time over C's for the default function of a name.
const (
	maxShort = 1.15 // 16 B latency
	maxLong  = 1.30 // 256 KiB
)

// TestTimes measures Go and C in interleaved rounds of one run and prints the ratios. It names
// those beyond the limits but does not fail: the reader judges them by the noise of the machine.
func TestTimes(t *testing.T) {
	if *times == 0 {
		t.Skip("measures for a minute: make bench-hash-c")
	}
	allowed := must.Get(cpu.Allowed())(t)
	pinned := allowed[len(allowed)-1]
	p := pinnedStart(t, pinned)
	one, two := p.Loops()
	var list []measure.Contender
	for _, f := range hashbench.All() {
		if !p.Has(f.Base()) {
			continue
		}
		list = append(list, measure.Of(f))
		if f.Name != f.Base() {
			continue
		}
		c := p.Contender(f)
		c.Loop = one
		if f.Native.H128 != nil {
			c.Loop = two
		}
		list = append(list, c)
	}
	r := must.Get(measure.Run(context.Background(), measure.Config{
		Contenders: list, Rounds: measure.DefaultRounds, Duration: *times, CPU: pinned, Seed: 1,
		Cases: result.MainCases(),
	}))(t)
	write(r)
}

// pinnedStart starts the program on a CPU. The program inherits the CPU from the thread that starts
// it.
func pinnedStart(t *testing.T, on int) (p *Process) {
	t.Helper()
	started := make(chan struct{})
	go func() { // its thread ends with it
		defer close(started)
		if err := cpu.PinThread(on); err != nil {
			t.Error(err)
			return
		}
		p = start(t)
	}()
	<-started
	if p == nil {
		t.FailNow()
	}
	return p
}

func write(r *result.Report) {
	find := func(name string, c result.Case) *result.Result {
		i := slices.IndexFunc(r.Results, func(x result.Result) bool { return x.Function == name && x.Case == c })
		if i < 0 {
			return nil
		}
		return &r.Results[i]
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "function\tvariant\t")
	for _, c := range result.MainCases() {
		fmt.Fprintf(w, "%s: Go, C ns\tratio\t", c)
	}
	fmt.Fprintln(w)
	var beyond []string
	for _, f := range hashbench.All() {
		if find(f.Name, result.MainCases()[0]) == nil {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t", f.Name, f.Variant)
		for _, c := range result.MainCases() {
			inGo, inC := find(f.Name, c), find(f.Base()+" in C", c)
			ratio := inGo.Ns.Median / inC.Ns.Median
			fmt.Fprintf(w, "%.4g, %.4g\t%.2f\t", inGo.Ns.Median, inC.Ns.Median, ratio)
			limit, limited := limitOf(c)
			if limited && f.Name == f.Base() && ratio > limit {
				beyond = append(beyond,
					fmt.Sprintf("%s, %s: %.2f [%.2f–%.2f], limit %.2f", f.Name, c, ratio, inGo.Ns.Low/inC.Ns.High,
						inGo.Ns.High/inC.Ns.Low, limit))
			}
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
	fmt.Printf("\nRatios of Go's time to C's (g++ -O3 -march=native); latency less its loop, throughput "+
		"with it; rounds of %v, load average "+
		"%v.\n", time.Duration(r.RoundNs), r.Machine.LoadAverage)
	for _, o := range r.Overheads {
		fmt.Printf("  %s loop, %s lengths, %d words: %.2f ns (%.2f left)\n", o.Mode, o.Lengths, o.Words, o.Ns.Median,
			o.LeftNs)
	}
	if len(beyond) > 0 {
		fmt.Printf("Beyond the limits:\n  %s\n", strings.Join(beyond, "\n  "))
	}
}

func limitOf(c result.Case) (limit float64, limited bool) {
	switch c {
	case result.Fixed(result.Latency, 16):
		return maxShort, true
	case result.Fixed(result.Throughput, 256<<10):
		return maxLong, true
	}
	return 0, false
}
