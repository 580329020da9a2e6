package runfolder

import (
	"encoding/json"
	"errors"
	"fmt"

	"dpukv/internal/foreign"
	"dpukv/results"
)

// decodePoint reads one line of points.jsonl.
func decodePoint(line []byte) (results.Point, error) {
	var p results.Point
	if err := json.Unmarshal(line, &p); err != nil {
		return p, err
	}
	switch {
	case p.Schema > results.SchemaVersion:
		return p, fmt.Errorf("schema: found %d, allowed: up to %d; a newer dpukv wrote it",
			p.Schema, results.SchemaVersion)
	case p.ID == "":
		return p, errors.New("id: found none, so this is no point")
	case results.CheckID(p.ID) != nil:
		return p, results.CheckID(p.ID)
	case p.Status != results.StatusOK && p.Status != results.StatusFailed:
		return p, fmt.Errorf("status: found %q, allowed: %q, %q", p.Status, results.StatusOK,
			results.StatusFailed)
	}
	return p, nil
}

// repeatedIDs finds the points that have an ID of another point and are ok, as in files that
// somebody joined.
type repeatedIDs struct {
	ok   map[string]*sameID // by the ID in the file
	said badLines
}

// sameID has the points of one ID.
type sameID struct {
	first    int // its place
	contents map[Content]bool
}

// keeps reports whether a point, to be added to others, is no copy. A point with the ID of another
// one gets a new ID.
func (r *repeatedIDs) keeps(points []results.Point, p *results.Point) bool {
	if p.Status != results.StatusOK {
		return true
	}
	if r.ok == nil {
		r.ok, r.said.file = map[string]*sameID{}, pointsFile
	}
	id := p.ID
	same, again := r.ok[id]
	if !again {
		r.ok[id] = &sameID{first: len(points)}
		return true
	}
	if same.contents == nil {
		same.contents = map[Content]bool{ContentOf(&points[same.first]): true}
	}
	content := ContentOf(p)
	if same.contents[content] {
		r.said.add(0, fmt.Sprintf("a copy of point %s: it is there twice", id))
		return false
	}
	same.contents[content] = true
	n := len(same.contents)
	p.ID = NextID(id, n)
	why := fmt.Sprintf("found point %s %d times with other content, allowed: once; it is kept as "+
		"%s; join folders with dpukv run merge", id, n, p.ID)
	r.said.keep(BadLine{Kept: true, Reason: why})
	return true
}

// lastOfEachID keeps one point an ID, in place: the last that is ok, or if none is ok the last.
func lastOfEachID(points []results.Point) []results.Point {
	chosen := make(map[string]int, len(points))
	for i := range points {
		before, seen := chosen[points[i].ID]
		if !seen || points[i].Status == results.StatusOK ||
			points[before].Status != results.StatusOK {
			chosen[points[i].ID] = i
		}
	}
	kept := points[:0]
	for i := range points {
		if chosen[points[i].ID] == i {
			kept = append(kept, points[i])
		}
	}
	return kept
}

// encodable is the point in its written form. Missing lists become empty ones: to a script, null is
// no list. Reasons are clipped: a server may give one of megabytes.
func encodable(p *results.Point) *results.Point {
	q := *p
	for _, list := range []*[]int{&q.ServerCPUs, &q.ClientCPUs} {
		if *list == nil {
			*list = []int{}
		}
	}
	q.Error = foreign.Reason(q.Error)
	q.Warnings = make(results.Warnings, len(p.Warnings))
	for i, w := range p.Warnings {
		q.Warnings[i] = results.ReadWarning(foreign.Reason(w.String()))
	}
	return &q
}
