package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"dpukv/bench/others"
	"dpukv/internal/test/subject"
)

// mostOthers is how many CPUs other programs may use beside a server, on average over a stretch.
const mostOthers = .1

// A sitting beside servers has stretches. One in which others used too much does not count, and
// another one follows, as long as the sitting is not that many times longer.
const (
	stretch  = time.Second
	patience = 5
)

// sittings are how often a row starts both children. Each time their functions have another order.
const sittings = 3

// pace is how a kind of subjects is measured.
type pace struct {
	sitting     time.Duration
	slice, warm time.Duration
}

func (p pace) scaled(by float64) pace {
	p.sitting = time.Duration(float64(p.sitting) * by)
	return p
}

var paces = map[string]pace{
	subject.Core:   {time.Second, 4 * time.Millisecond, 200 * time.Microsecond},
	subject.Server: {4 * time.Second, 50 * time.Millisecond, 3 * time.Millisecond},
}

// contestant is a subject of a build.
type contestant struct {
	*found
	// share is the part of the base's CPU time by which a planted loop slows it. 0: none.
	share float64
}

// series is what rounds of a subject found, by figure.
type series struct {
	ratios       [][]float64
	ns           [2][][]float64 // of an operation: the base's, the tree's
	instructions [2][]float64   // of an operation
	stolen       int            // rounds that are left out, as the hypervisor stole time
	disturbed    int            // rounds that are left out, as others used too much
	refused      string
	counters     string // why there are no instructions
}

func newSeries(figures int) *series {
	s := &series{ratios: make([][]float64, figures)}
	for side := range s.ns {
		s.ns[side] = make([][]float64, figures)
	}
	return s
}

// sit starts two children and lets them take turns for a while. It adds the rounds to a series.
func sit(ctx context.Context, p pace, base, tree contestant, rng *rand.Rand, s *series) error {
	watch := others.New()
	children, ops, err := open(ctx, p, base, tree, s)
	for _, c := range children {
		defer c.end()
	}
	if err != nil {
		return err
	}
	slice := subject.Slice{Warm: base.whole(ops, float64(p.warm)/float64(p.slice)), Ops: ops}
	deadline := time.Now().Add(patience * p.sitting)
	for left := p.sitting; left > 0; {
		watch.Restart()
		part := newSeries(len(s.ratios))
		begun := time.Now()
		for until := begun.Add(min(left, stretch)); time.Now().Before(until); {
			if err := round(children, slice, rng, watch, part); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		used, _ := watch.Since()
		if base.Kind == subject.Core || used <= mostOthers {
			left -= time.Since(begun)
			s.join(part)
			continue
		}
		s.disturbed += len(part.ratios[0])
		if time.Now().After(deadline) {
			s.refused = fmt.Sprintf("other programs used %.2f CPUs, allowed beside a server: %.2f; "+
				"end them and try again", used, mostOthers)
			return nil
		}
	}
	return nil
}

// join adds the rounds of a part.
func (s *series) join(part *series) {
	for i := range s.ratios {
		s.ratios[i] = append(s.ratios[i], part.ratios[i]...)
		for side := range s.ns {
			s.ns[side][i] = append(s.ns[side][i], part.ns[side][i]...)
		}
	}
	for side := range s.instructions {
		s.instructions[side] = append(s.instructions[side], part.instructions[side]...)
	}
	s.stolen += part.stolen
}

// round is a slice of each, in random order.
func round(
	children []*child, slice subject.Slice, rng *rand.Rand, watch *others.Watch, s *series,
) error {
	stolen := watch.StolenNs()
	var answers [2]subject.Answer
	for _, i := range rng.Perm(2) {
		var err error
		if answers[i], err = children[i].slice(slice); err != nil {
			return err
		}
	}
	if watch.StolenNs() > stolen {
		s.stolen++
		return nil
	}
	s.add(&answers, slice.Ops)
	return nil
}

func (s *series) add(answers *[2]subject.Answer, ops int) {
	for figure := range s.ratios {
		base, tree := answers[0].Ns[figure], answers[1].Ns[figure]
		s.ratios[figure] = append(s.ratios[figure], float64(tree)/float64(base))
		for side := range answers {
			s.ns[side][figure] = append(s.ns[side][figure],
				float64(answers[side].Ns[figure])/float64(ops))
		}
	}
	if a, b := answers[0].Instructions, answers[1].Instructions; a > 0 && b > 0 {
		s.instructions[0] = append(s.instructions[0], float64(a)/float64(ops))
		s.instructions[1] = append(s.instructions[1], float64(b)/float64(ops))
	}
}

// open starts both children, and finds how many operations fill a slice. What is planted depends on
// what the base takes.
func open(
	ctx context.Context, p pace, base, tree contestant, s *series,
) (children []*child, ops int, err error) {
	first, err := startChild(ctx, base.found, "")
	if err != nil {
		return nil, 0, err
	}
	children = append(children, first)
	begin := func(plant string) error {
		second, err := startChild(ctx, tree.found, plant)
		if err == nil {
			children = append(children, second)
		}
		return err
	}
	if tree.share == 0 { // both prepare at once
		if err := begin(""); err != nil {
			return children, 0, err
		}
	}
	hello, err := first.hello()
	if err != nil {
		return children, 0, err
	}
	s.counters = hello.Counters
	ops, perOp, err := size(first, p.slice)
	if err != nil {
		return children, 0, err
	}
	if tree.share > 0 {
		if err := begin(plantOf(tree.share, perOp)); err != nil {
			return children, 0, err
		}
	}
	if _, err := children[1].hello(); err != nil {
		return children, 0, err
	}
	for _, c := range children { // both have their caches filled, and their buffers grown
		if _, err := c.slice(subject.Slice{Ops: 2 * ops}); err != nil {
			return children, 0, err
		}
	}
	return children, ops, nil
}

// size finds the operations of a slice, and the CPU time of one of each figure.
func size(c *child, slice time.Duration) (ops int, perOp []float64, err error) {
	for ops = c.of.Batch; ; ops *= 2 {
		a, err := c.slice(subject.Slice{Warm: ops, Ops: ops})
		if err != nil {
			return 0, nil, err
		}
		if a.WallNs < int64(slice)/2 {
			continue
		}
		best := a
		for range 4 { // the fastest is the least disturbed
			if a, err = c.slice(subject.Slice{Ops: ops}); err != nil {
				return 0, nil, err
			}
			if a.WallNs < best.WallNs {
				best = a
			}
		}
		for _, ns := range best.Ns {
			perOp = append(perOp, float64(ns)/float64(ops))
		}
		return c.of.whole(ops, float64(slice)/float64(best.WallNs)), perOp, nil
	}
}

// whole is a part of operations, in whole batches.
func (f *found) whole(ops int, part float64) int {
	return max(1, int(float64(ops)*part)/f.Batch) * f.Batch
}
