package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"dpukv/internal/sample"
	"dpukv/internal/test/subject"
)

// plan says what a run measures.
type plan struct {
	base, tree *build
	orders     [2][]int // of functions, in each sitting: the base's, the tree's
	only       *regexp.Regexp
	share      float64 // planted in the tree
	scale      float64 // of the time of a sitting
	seed       uint64
	progress   io.Writer
}

// settings are the conditions of a calibration.
func settings(scale float64) string {
	text := fmt.Sprintf("protocol %d, %d sittings", subject.Version, sittings)
	for _, kind := range []string{subject.Core, subject.Server} {
		p := paces[kind].scaled(scale)
		text += fmt.Sprintf(", %s of %v with slices of %v", kind, p.sitting, p.slice)
	}
	return text
}

// missing lists what only one of the builds has.
func (p *plan) missing() (base, tree []string) {
	for _, s := range p.tree.subjects {
		if of := p.base.find(s.Name); of == nil || !slices.Equal(of.Figures, s.Figures) {
			tree = append(tree, s.Name)
		}
	}
	for _, s := range p.base.subjects {
		if p.tree.find(s.Name) == nil {
			base = append(base, s.Name)
		}
	}
	return base, tree
}

// takes is how long the rounds of a run take, without the starts of children.
func (p *plan) takes() (sum time.Duration) {
	for _, s := range p.both() {
		sum += sittings * paces[s.Kind].scaled(p.scale).sitting
	}
	return sum
}

// both are the subjects to compare.
func (p *plan) both() (list []found) {
	for _, s := range p.tree.subjects {
		if of := p.base.find(s.Name); of != nil && slices.Equal(of.Figures, s.Figures) &&
			p.only.MatchString(s.Name) {
			list = append(list, s)
		}
	}
	return list
}

// run measures all rows. The sittings are in random order, so that a change of the machine spreads
// over all rows.
func (p *plan) run(ctx context.Context) (rows []row, counters string, err error) {
	rng := rand.New(rand.NewPCG(p.seed, 0))
	subjects := p.both()
	samples := map[string]*series{}
	type turn struct {
		found
		sitting int
	}
	var order []turn
	for _, s := range subjects {
		samples[s.Name] = newSeries(len(s.Figures))
		for sitting := range sittings {
			order = append(order, turn{s, sitting})
		}
	}
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for i, s := range order {
		of := samples[s.Name]
		if of.refused != "" {
			continue
		}
		base := contestant{p.base.in(p.orders[0][s.sitting], s.Name), 0}
		tree := contestant{p.tree.in(p.orders[1][s.sitting], s.Name), p.share}
		pace := paces[s.Kind].scaled(p.scale)
		if err := sit(ctx, pace, base, tree, rng, of); err != nil {
			return nil, "", err
		}
		fmt.Fprintf(p.progress, "%d of %d: %s %s\n", i+1, len(order), s.Name, of.now())
		if of.counters != "" {
			counters = of.counters
		}
	}
	for _, s := range subjects {
		rows = append(rows, samples[s.Name].rows(&s.Facts)...)
	}
	return rows, counters, nil
}

// now is what has been found so far.
func (s *series) now() string {
	if s.refused != "" {
		return string(refused)
	}
	var medians []string
	for _, ratios := range s.ratios {
		if len(ratios) > 0 {
			medians = append(medians, fmt.Sprintf("%.3f", sample.Median(ratios)))
		}
	}
	return strings.Join(medians, " ")
}

// rows are the figures of a series.
func (s *series) rows(f *subject.Facts) (rows []row) {
	for i, figure := range f.Figures {
		r := row{
			Name: f.Name + " " + figure, Kind: f.Kind, Stolen: s.stolen, Disturbed: s.disturbed,
			Refused: s.refused,
		}
		if r.Pairs = len(s.ratios[i]); r.Pairs >= fewest {
			r.interval = intervalOf(s.ratios[i])
			r.BaseNs, r.TreeNs = sample.Median(s.ns[0][i]), sample.Median(s.ns[1][i])
		}
		if len(s.instructions[0]) >= fewest && i == 0 {
			base := sample.Median(s.instructions[0])
			r.Instructions = [2]float64{base, sample.Median(s.instructions[1]) / base}
		}
		rows = append(rows, r)
	}
	return rows
}
