package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"dpukv/internal/sample"
)

func main() {
	store := flag.String("store", "mica", "mica or herd")
	connections := flag.Int("connections", 500, "hostile connections that are kept open")
	rounds := flag.Int("rounds", 3, "rounds over all attacks")
	addr := flag.String("attack", "",
		"only attack the server at this address, by the attack that is named, until stdin ends")
	flag.Parse()
	attacks, ok := map[string][]attack{"mica": micaAttacks, "herd": herdAttacks}[*store]
	if !ok || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr,
			"usage: hostile [-store mica|herd] [-connections N] [-rounds N] DPUKV")
		os.Exit(2)
	}
	if *addr != "" {
		if err := attackUntilTold(attacks, flag.Arg(0), *addr, *connections); err != nil {
			fmt.Fprintln(os.Stderr, "hostile:", err)
			os.Exit(1)
		}
		return
	}
	rows := make([]row, len(attacks))
	for range *rounds {
		for i, a := range attacks {
			if err := rows[i].measure(flag.Arg(0), *store, a, *connections); err != nil {
				fmt.Fprintf(os.Stderr, "hostile: %s: %v\n", a.name, err)
				os.Exit(1)
			}
		}
	}
	print(attacks, rows)
}

// row is the result of one attack, with a value a round.
type row struct {
	held, opened                        []int
	rssMiB, aloneMiB                    []int
	p50, p99, aloneP50, aloneP99, ended []float64
}

// measure starts a server and loads it honestly, first alone and then with the attack running.
func (r *row) measure(dpukv, store string, a attack, connections int) error {
	s, err := startServer(dpukv, store)
	if err != nil {
		return err
	}
	defer s.stop()
	alone, err := s.load(dpukv, store)
	if err != nil {
		return fmt.Errorf("before the attack: %w", err)
	}
	r.aloneMiB = append(r.aloneMiB, s.peakMiB())
	attack, err := startAttack(store, a.name, s.Addr, connections)
	if err != nil {
		return err
	}
	time.Sleep(time.Second) // it is under way
	under, err := s.load(dpukv, store)
	held, opened, lost := attack.stop()
	if lost != nil {
		return fmt.Errorf("the attack: %w", lost)
	}
	ended := 0.
	if err != nil {
		fmt.Fprintf(os.Stderr, "hostile: %s: the honest client: %v\n", a.name, err)
		ended, under = 1, &point{}
	}
	r.held, r.opened = append(r.held, held), append(r.opened, opened)
	r.rssMiB = append(r.rssMiB, s.peakMiB())
	r.p50, r.p99 = append(r.p50, under.P50Ns/1e3), append(r.p99, under.P99Ns/1e3)
	r.aloneP50, r.aloneP99 = append(r.aloneP50, alone.P50Ns/1e3),
		append(r.aloneP99, alone.P99Ns/1e3)
	r.ended = append(r.ended, ended)
	if _, err := s.load(dpukv, store); err != nil {
		return fmt.Errorf("the server does not serve after the attack: %w", err)
	}
	return nil
}

func print(attacks []attack, rows []row) {
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(t, "| hostile clients\t| held\t| opened\t| RSS MiB, alone\t| p50 µs, alone\t| "+
		"p99 µs, alone\t| ended\t|")
	fmt.Fprintln(t, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(t, "| %s\t| %d\t| %d\t| %d, %d\t| %.0f, %.0f\t| %.0f, %.0f\t| %.0f\t|\n",
			attacks[i].name, sample.Median(r.held), sample.Median(r.opened),
			sample.Median(r.rssMiB), sample.Median(r.aloneMiB),
			sample.Median(r.p50), sample.Median(r.aloneP50),
			sample.Median(r.p99), sample.Median(r.aloneP99),
			slices.Max(r.ended))
	}
	_ = t.Flush() // to stdout: nobody is left to tell
}
