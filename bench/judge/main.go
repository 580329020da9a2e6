package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	runtime.LockOSThread() // children end with the thread that started them (Pdeathsig)
	s := &session{progress: os.Stderr}
	base := flag.String("base", "", "the commit to compare with; \"\": the last of main that "+
		"the tree grew from")
	flag.BoolVar(&s.calibrating, "calibrate", false, "measure the margins of this machine anew")
	flag.BoolVar(&s.testing, "self-test", false, "find how often the verdicts are right; goes on "+
		"where it ended")
	only := flag.String("only", ".", "subjects whose names match this expression")
	flag.Float64Var(&s.scale, "scale", 1, "times the time of a sitting; each scale has margins of "+
		"its own")
	flag.Uint64Var(&s.seed, "seed", rand.Uint64(), "of the order of slices and sittings")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := s.main(ctx, *base, *only); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

// session is a run of the program.
type session struct {
	calibrating, testing bool
	scale                float64
	seed                 uint64
	progress             io.Writer

	only   *regexp.Regexp
	dir    string // for what ends with it
	commit string
	base   *build
}

func (s *session) main(ctx context.Context, wish, only string) (err error) {
	begun := time.Now()
	if s.only, err = regexp.Compile(only); err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp("", "dpukv-judge-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.dir)
	if err := s.prepare(ctx, repository(root), wish); err != nil {
		return err
	}
	margins, path, err := s.margins(ctx)
	switch {
	case err != nil:
		return err
	case s.calibrating:
		return nil
	case s.testing:
		return s.test(ctx, margins)
	}
	tree := &build{tree: root, bin: filepath.Join(s.dir, "tree")}
	if err := tree.make(ctx, sittings); err != nil {
		return err
	}
	p := s.plan(tree, 0)
	if gone, come := p.missing(); len(gone)+len(come) > 0 {
		fmt.Fprintf(s.progress, "Not compared: only in the base: %s; only in the tree: %s.\n",
			orNone(gone), orNone(come))
	}
	rows, counters, err := p.run(ctx)
	if err != nil {
		return err
	}
	if err := report(os.Stdout, rows, margins, counters); err != nil {
		return err
	}
	fmt.Printf("Base %.12s, seed %d, margins of %s, %v in all.\n", s.commit, s.seed, path,
		time.Since(begun).Round(time.Second))
	return nil
}

// prepare finds and builds the base.
func (s *session) prepare(ctx context.Context, r repository, wish string) error {
	commit, why, err := r.base(ctx, wish)
	if err != nil {
		return fmt.Errorf("find the base: %w", err)
	}
	fmt.Fprintf(s.progress, "Base: %.12s, %s. Seed: %d.\n", commit, why, s.seed)
	if err := r.judged(ctx, commit); err != nil {
		return err
	}
	s.commit = commit
	s.base = &build{tree: filepath.Join(s.dir, "base-tree"), bin: filepath.Join(s.dir, "base")}
	if err := os.Mkdir(s.base.tree, 0o700); err != nil {
		return err
	}
	if err := r.export(ctx, commit, s.base.tree); err != nil {
		return err
	}
	return s.base.make(ctx, sittings)
}

// plan compares the base with a tree: in a sitting, both have the same order of functions. Each run
// of a session has a seed of its own.
func (s *session) plan(tree *build, run int) *plan {
	p := &plan{
		base: s.base, tree: tree, only: s.only, scale: s.scale, seed: s.seed + uint64(run),
		progress: s.progress,
	}
	for i := range sittings {
		p.orders[0], p.orders[1] = append(p.orders[0], i), append(p.orders[1], i)
	}
	return p
}

// equal compares the base with itself: in a sitting, each has another order of functions.
func (s *session) equal(ctx context.Context, run int) (*plan, error) {
	if err := s.base.make(ctx, 2*sittings); err != nil {
		return nil, err
	}
	p := s.plan(s.base, run)
	orders := rand.New(rand.NewPCG(p.seed, 1)).Perm(2 * sittings)
	p.orders = [2][]int{orders[:sittings], orders[sittings:]}
	return p, nil
}

// margins reads those of this machine. Rows that lack one are calibrated before.
func (s *session) margins(
	ctx context.Context,
) (margins map[string]float64, path string, err error) {
	if path, err = machineFile("judge", s.scale); err != nil {
		return nil, "", err
	}
	path += ".json"
	c, why, err := load(path, settings(s.scale))
	if err != nil {
		return nil, "", err
	}
	if s.calibrating {
		c, why = newCalibration(settings(s.scale)), "it was asked for"
	}
	p := s.plan(s.base, 0)
	lacking := p.lacking(c.margins())
	if len(lacking) == 0 {
		return c.margins(), path, nil
	}
	if why == "" {
		why = "it lacks " + strings.Join(lacking, ", ")
	}
	fmt.Fprintf(s.progress, "Calibration, as %s: %d runs of the base against itself, %v each and the "+
		"starts.\n", why, calibrationRuns, p.takes().Round(time.Second))
	if err := s.calibrate(ctx, c, lacking); err != nil {
		return nil, "", err
	}
	if err := c.save(path); err != nil {
		return nil, "", err
	}
	margins = c.margins()
	for _, name := range slices.Sorted(maps.Keys(margins)) {
		fmt.Fprintf(s.progress, "Margin of %s: %s.\n", name, marginText(margins[name]))
	}
	return margins, path, nil
}

// calibrate runs the base against itself, for the rows that lack a margin.
func (s *session) calibrate(ctx context.Context, c *calibration, lacking []string) error {
	for _, name := range lacking {
		delete(c.Reached, name)
	}
	for run := range calibrationRuns {
		p, err := s.equal(ctx, run)
		if err != nil {
			return err
		}
		rows, _, err := p.run(ctx)
		if err != nil {
			return err
		}
		c.add(slices.DeleteFunc(rows, func(r row) bool {
			return !slices.Contains(lacking, r.Name)
		}))
	}
	return nil
}

// lacking are the rows without a margin.
func (p *plan) lacking(margins map[string]float64) (names []string) {
	for _, s := range p.both() {
		for _, figure := range s.Figures {
			if name := s.Name + " " + figure; margins[name] == 0 {
				names = append(names, name)
			}
		}
	}
	return names
}

// test is the self-test.
func (s *session) test(ctx context.Context, margins map[string]float64) error {
	path, err := machineFile("judge-self-test", s.scale)
	if err != nil {
		return err
	}
	done, err := openRecords(path+".jsonl", s.commit, settings(s.scale))
	if err != nil {
		return err
	}
	sum := 0
	for _, t := range trials {
		sum += t.runs
	}
	p := s.plan(s.base, 0)
	fmt.Fprintf(s.progress, "Self-test: %d of %d runs are recorded in %s. Each takes %v and the "+
		"starts.\n", len(done.all), sum, done.path, p.takes().Round(time.Second))
	err = s.selfTest(ctx, done)
	fmt.Print(done.table(margins))
	return err
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
