package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dpukv/internal/test/subject"
)

// trial is a number of runs in which the answer is known.
type trial struct {
	name  string
	share float64 // planted
	busy  bool    // beside as many busy processes as there are CPUs
	runs  int
	want  string
}

var trials = []trial{
	{"equal", 0, false, 20, "at most 5 % moved"},
	{"planted 5 %", .05, false, 3, "core: 90 % found slower; server: 70 %"},
	{"planted 10 %", .10, false, 3, "90 % found slower"},
	{"equal, busy", 0, true, 3, "core: at most 5 % moved; server: refused"},
	{"planted 5 %, busy", .05, true, 3, "core: 90 % found slower; server: refused"},
}

// record is a finished run of a trial.
type record struct {
	Trial    string `json:"trial"`
	Run      int    `json:"run"`
	Only     string `json:"only"` // the expression of its subjects
	Base     string `json:"base"`
	Settings string `json:"settings"`
	Seed     uint64 `json:"seed"`
	Rows     []row  `json:"rows"`
}

// records are lines of a file, so that a self-test goes on where it ended.
type records struct {
	path string
	all  []record
}

// open reads the records of a commit and of settings. It leaves out others.
func openRecords(path, base, settings string) (*records, error) {
	r := &records{path: path}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	for in := json.NewDecoder(bufio.NewReader(f)); ; {
		var one record
		if err := in.Decode(&one); errors.Is(err, io.EOF) {
			return r, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w; remove it", path, err)
		}
		if one.Base == base && one.Settings == settings {
			r.all = append(r.all, one)
		}
	}
}

func (r *records) has(trial string, run int, only string) bool {
	for i := range r.all {
		if r.all[i].Trial == trial && r.all[i].Run == run && r.all[i].Only == only {
			return true
		}
	}
	return false
}

func (r *records) add(one *record) error {
	f, err := os.OpenFile(r.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = json.NewEncoder(f).Encode(one)
	r.all = append(r.all, *one)
	return errors.Join(err, f.Close())
}

// selfTest does the runs that are not recorded yet. Each has another order of functions.
func (s *session) selfTest(ctx context.Context, done *records) error {
	planted, err := s.planted(ctx)
	if err != nil {
		return err
	}
	for _, t := range trials {
		for run := range t.runs {
			if done.has(t.name, run, s.only.String()) {
				continue
			}
			fmt.Fprintf(s.progress, "Self-test: %s, run %d of %d.\n", t.name, run+1, t.runs)
			p, err := s.equal(ctx, len(done.all))
			if err != nil {
				return err
			}
			if p.share = t.share; t.share > 0 {
				p.tree = planted
			}
			rows, err := p.beside(ctx, t.busy)
			if err != nil {
				return err
			}
			one := &record{t.name, run, s.only.String(), s.commit, settings(s.scale), p.seed, rows}
			if err := done.add(one); err != nil {
				return err
			}
		}
	}
	return nil
}

// beside is a run, beside busy processes if it is asked for.
func (p *plan) beside(ctx context.Context, load bool) (rows []row, err error) {
	if load {
		end, _, err := busy(ctx)
		defer end()
		if err != nil {
			return nil, err
		}
	}
	rows, _, err = p.run(ctx)
	return rows, err
}

// planted is the base with servers that slow themselves.
func (s *session) planted(ctx context.Context) (*build, error) {
	dir := filepath.Join(s.dir, "overlay")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	overlay, err := plantServer(s.base.tree, dir)
	if err != nil {
		return nil, err
	}
	slowed := &build{tree: s.base.tree, overlay: overlay, bin: filepath.Join(s.dir, "planted")}
	return slowed, slowed.make(ctx, 2*sittings)
}

// table is what the records say, for docs/PERFORMANCE.md.
func (r *records) table(margins map[string]float64) string {
	var b strings.Builder
	b.WriteString("| runs | wanted | core rows | server rows |\n|---|---|---|---|\n")
	for _, t := range trials {
		cells := map[string]string{}
		for _, kind := range []string{subject.Core, subject.Server} {
			c, runs := r.count(t.name, kind, margins)
			cells[kind] = c.text(t.share, runs)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", t.name, t.want, cells[subject.Core],
			cells[subject.Server])
	}
	return b.String()
}

// counts are verdicts of rows.
type counts struct{ rows, moved, slower, decided, refused int }

func (r *records) count(trial, kind string, margins map[string]float64) (c counts, runs int) {
	for i := range r.all {
		one := &r.all[i]
		if one.Trial != trial {
			continue
		}
		before := c.rows
		for j := range one.Rows {
			if row := &one.Rows[j]; row.Kind == kind {
				c.add(judge(row, margins[row.Name]))
			}
		}
		if c.rows > before {
			runs++
		}
	}
	return c, runs
}

func (c *counts) add(v verdict) {
	c.rows++
	switch v {
	case slower:
		c.slower++
		fallthrough
	case faster:
		c.moved++
		fallthrough
	case same:
		c.decided++
	case refused:
		c.refused++
	}
}

func (c *counts) text(share float64, runs int) string {
	text := fmt.Sprintf("moved %d, decided %d of %d", c.moved, c.decided, c.rows)
	switch {
	case c.rows == 0:
		return "not measured"
	case c.refused == c.rows:
		text = fmt.Sprintf("refused %d of %d", c.refused, c.rows)
	case share > 0:
		text = fmt.Sprintf("slower %d of %d", c.slower, c.rows)
	}
	if runs == 1 {
		return text + " in 1 run"
	}
	return fmt.Sprintf("%s in %d runs", text, runs)
}
