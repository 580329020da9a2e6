package estimate

import (
	"fmt"
	"slices"
	"time"

	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

// Sweep predicts the time of the remaining points of a sweep.
type Sweep struct {
	bed     *testbed.Testbed
	changes bool // the points have several datapaths
	left    map[group]*pending
	seen    map[string]*overheads // by likeness
}

// group is what the overhead of a point depends on.
type group struct {
	store, placement, submode, filter string
	keys, keyBytes, valueBytes        int
	server, client                    int // threads
}

// pending are the remaining points of a group.
type pending struct {
	like   sweep.Point // one of them
	points int
	load   time.Duration
}

// overheads are those of the points so far.
type overheads struct{ prior, measured time.Duration }

// New predicts the time of points that are all still to be measured.
func New(points []sweep.Point, bed *testbed.Testbed) *Sweep {
	e := &Sweep{bed: bed, left: map[group]*pending{}, seen: map[string]*overheads{}}
	e.changes = slices.ContainsFunc(points, func(pt sweep.Point) bool {
		return pt.Submode != points[0].Submode || pt.Filter != points[0].Filter
	})
	for i := range points {
		g := groupOf(&points[i])
		p := e.left[g]
		if p == nil {
			p = &pending{like: points[i]}
			e.left[g] = p
		}
		p.points++
		p.load += loadOf(&points[i])
	}
	return e
}

func loadOf(pt *sweep.Point) time.Duration { return pt.Warmup + pt.Period() }

func groupOf(pt *sweep.Point) group {
	return group{
		pt.Store, pt.Placement, pt.Submode, pt.Filter, pt.Keys, pt.KeyBytes, pt.ValueBytes,
		pt.ServerThreads, pt.ClientThreads,
	}
}

// likenesses name the sets of points that a point belongs to, the most alike first.
func likenesses(pt *sweep.Point) []string {
	return []string{
		fmt.Sprint(groupOf(pt)),
		fmt.Sprint("way ", pt.Store, pt.Placement, pt.Submode, pt.Filter),
		"store " + pt.Store,
		"any",
	}
}

// Finished counts a measured point, which took so long.
func (e *Sweep) Finished(pt *sweep.Point, took time.Duration) {
	e.Dropped(pt)
	prior, measured := e.prior(pt), max(0, took-loadOf(pt))
	for _, like := range likenesses(pt) {
		o := e.seen[like]
		if o == nil {
			o = &overheads{}
			e.seen[like] = o
		}
		o.prior, o.measured = o.prior+prior, o.measured+measured
	}
}

// Dropped counts a point that failed, or that is not tried. Its time says nothing about others.
func (e *Sweep) Dropped(pt *sweep.Point) {
	p := e.left[groupOf(pt)]
	if p == nil || p.points == 0 {
		return
	}
	p.points, p.load = p.points-1, p.load-loadOf(pt)
}

// Left returns the expected time of the remaining points.
func (e *Sweep) Left() time.Duration { return e.Load() + e.Overhead() }

// Load returns the part of Left in which the points are under load.
func (e *Sweep) Load() (sum time.Duration) {
	for _, p := range e.left {
		sum += p.load
	}
	return sum
}

// Overhead returns the part of Left beside the load.
func (e *Sweep) Overhead() (sum time.Duration) {
	for _, p := range e.left {
		sum += time.Duration(p.points) * e.overhead(&p.like)
	}
	return sum
}

// overhead predicts that of one point.
func (e *Sweep) overhead(pt *sweep.Point) time.Duration {
	prior := e.prior(pt)
	for _, like := range likenesses(pt) {
		if o := e.seen[like]; o != nil && o.prior > 0 {
			return time.Duration(float64(prior) * float64(o.measured) / float64(o.prior))
		}
	}
	return prior
}
