package claims

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"dpukv/results"
	"dpukv/results/runfolder"
)

// Run is the evidence for a claim: one run.
type Run struct {
	Name        string
	Points      []results.Point
	Generations []string        // of the DPUs in it: "bf2"; empty: it has none
	Probes      []results.Point // points without a store
}

// OpenRun reads a run folder, and returns its unusable lines. A merged folder has a run for each of
// its sources.
func OpenRun(run *runfolder.Run) ([]Run, []runfolder.BadLine, error) {
	points, bad, err := run.All()
	if err != nil {
		return nil, nil, err
	}
	nodes, badNodes, err := run.Env()
	if err != nil {
		return nil, nil, err
	}
	return NewRuns(run.Dir(), points, nodes), append(bad, badNodes...), nil
}

// NewRuns is the evidence of points, measured on the nodes that lines of env.jsonl describe. Points
// and nodes of one source are a run.
func NewRuns(name string, points []results.Point, nodes []json.RawMessage) []Run {
	last := 0
	for i := range points {
		last = max(last, points[i].Source)
	}
	if last == 0 {
		return []Run{newRun(name, points, nodes)}
	}
	var runs []Run
	for n := 1; n <= last; n++ {
		others := func(p results.Point) bool { return p.Source != n }
		runs = append(runs, newRun(
			fmt.Sprintf("%s, source %d", name, n), slices.DeleteFunc(slices.Clone(points), others),
			slices.DeleteFunc(slices.Clone(nodes), func(node json.RawMessage) bool {
				var of struct{ Source int }
				return json.Unmarshal(node, &of) != nil || of.Source != n
			}),
		))
	}
	return runs
}

// newRun is the evidence of one run.
func newRun(name string, points []results.Point, nodes []json.RawMessage) Run {
	r := Run{Name: name, Generations: generations(nodes)}
	r.Points, r.Probes = results.Separate(points)
	return r
}

// noProfile is the profile of an emulated machine that models nothing.
const noProfile = "none"

// generations are the generations that the testbed names, or else those of the profiles that model
// DPUs.
func generations(nodes []json.RawMessage) []string {
	var list []string
	for _, n := range nodes {
		var of struct{ Kind, Generation, Profile string }
		if json.Unmarshal(n, &of) != nil || of.Kind != "dpu" {
			continue // what is no node's line names no generation
		}
		if of.Generation == "" && of.Profile != noProfile {
			of.Generation = of.Profile
		}
		if of.Generation != "" && !slices.Contains(list, of.Generation) {
			list = append(list, of.Generation)
		}
	}
	slices.Sort(list)
	return list
}

// of reports whether all DPUs of the run are of this generation. Then no point is about another.
func (r *Run) of(generation string) bool {
	return generation == "" || len(r.Generations) == 1 && r.Generations[0] == generation
}

// Evidence is what claims are compared with.
type Evidence struct {
	Runs   []Run
	Hashes []Hashes
}

// group is the points of one selection that differ only in their load and repeat.
type group struct {
	label       string // what they are among the selected: "CD-SH"
	alike       string // the values in which compared groups must agree
	across      string // the same for groups of two generations
	anyThreads  string // the same whatever the server threads
	generations []string
	line        results.Line
	points      []*results.Point
}

// alike are the dimensions in which two compared points must agree: all of the request, except the
// placement and the path.
var alike = []string{
	"store", "get_ratio", "keys", "key_bytes", "value_bytes", "batch", "server_threads", "loop",
	"window", "connections", "dist", "hash", "mode", "access", "engine_threads", "answers", "wait",
	"server_wait", "client_wait", "compute_ns", "build",
}

// serverThreads are the study's server threads on a BF-1, with those that it used on the later
// generations instead. It compares these with each other.
var serverThreads = map[int]int{5: 4, 10: 8}

// of are the generations that a selector takes points of, in a case's generation.
func (s *Selector) of(generation string) []string {
	if len(s.Generations) > 0 {
		return s.Generations
	}
	return []string{generation}
}

// choose returns the groups of a selection in all runs of its generation.
func choose(runs []Run, s *Selector, generation string, share *float64) []group {
	var groups []group
	for i := range runs {
		points := slices.Collect(runs[i].chosen(s, generation, share))
		for _, l := range results.LinesOf(points) {
			groups = append(groups, newGroup(&runs[i], l))
		}
	}
	return groups
}

// some reports whether a selection has a point in runs of its generation.
func some(runs []Run, s *Selector, generation string, share *float64) bool {
	for i := range runs {
		for range runs[i].chosen(s, generation, share) {
			return true
		}
	}
	return false
}

// chosen are the points of a selection, if the run is of its generation.
func (r *Run) chosen(
	s *Selector, generation string, share *float64,
) iter.Seq[*results.Point] {
	return r.filter(r.Points, s, generation, func(p *results.Point) bool {
		return s.selects(p) && (share == nil || *share == p.GetRatio)
	})
}

// filter are those of the points that are ok and wanted, if the run is of the selection's
// generation.
func (r *Run) filter(
	points []results.Point, s *Selector, generation string, wanted func(*results.Point) bool,
) iter.Seq[*results.Point] {
	return func(yield func(*results.Point) bool) {
		if !slices.ContainsFunc(s.of(generation), r.of) {
			return
		}
		for i := range points {
			p := &points[i]
			if p.Status == results.StatusOK && wanted(p) && !yield(p) {
				return
			}
		}
	}
}

func newGroup(r *Run, l results.Line) group {
	dims := results.Named(alike...)
	g := group{line: l, generations: r.Generations}
	for _, m := range l.Marks {
		g.points = append(g.points, m.Repeats...)
	}
	first := *g.points[0]
	g.alike, g.label = results.Labels(dims, &first), where(&first)
	if n, ok := serverThreads[first.ServerThreads]; ok && r.of("bf1") {
		first.ServerThreads = n
	}
	g.across = results.Labels(dims, &first)
	threads := results.Named("server_threads", "engine_threads")
	g.anyThreads = results.Labels(results.Without(dims, threads), &first)
	return g
}

// partners returns a function that finds, for a group, those of others that differ from it in
// nothing but what the claim is about, in their order.
func (c *Claim) partners(others []group) func(*group) []*group {
	by := map[string][]int{}
	for i := range others {
		for _, key := range c.keys(&others[i]) {
			by[key] = append(by[key], i)
		}
	}
	return func(g *group) (list []*group) {
		var found []int
		for _, key := range c.keys(g) {
			found = append(found, by[key]...)
		}
		slices.Sort(found)
		for _, i := range slices.Compact(found) {
			o := &others[i]
			if c.comparable(g, o) && (!c.SamePath || g.label == o.label) {
				list = append(list, o)
			}
		}
		return list
	}
}

// keys are those of which comparable groups have one in common.
func (c *Claim) keys(g *group) []string {
	if c.AnyThreads {
		return []string{g.anyThreads}
	}
	return []string{"alike " + g.alike, "across " + g.across}
}

// comparable reports whether two groups differ in nothing but what the claim is about.
func (c *Claim) comparable(g, o *group) bool {
	if c.AnyThreads {
		return g.anyThreads == o.anyThreads
	}
	if slices.Equal(g.generations, o.generations) {
		return g.alike == o.alike
	}
	return g.across == o.across
}

func where(p *results.Point) string {
	text := p.Placement
	if p.Submode != "" && p.Submode != "off-path" && p.Submode != "direct" {
		text += " " + p.Submode
	}
	if p.Neighbour != "" {
		text += " beside a neighbour of kind " + p.Neighbour
	}
	return text
}

// scalable is off-path by a scalable function, with the card in DPU mode. The study's off-path is
// separated-host mode, so no claim takes such a point.
const scalable = "off-path-sf"

// scalablePoints counts the run's points that no claim takes, since they are [scalable].
func (r *Run) scalablePoints() (n int) {
	for i := range r.Points {
		if r.Points[i].Submode == scalable {
			n++
		}
	}
	return n
}

// allows reports whether a list of allowed values has the value. An empty one allows all.
func allows(list []string, v string) bool { return len(list) == 0 || slices.Contains(list, v) }

// selects leaves out what no source has: work on the path, and off-path by another mode. A
// neighbour is left out unless the selector names it.
func (s *Selector) selects(p *results.Point) bool {
	neighbour := p.Neighbour == "" && s.Neighbour == nil ||
		slices.Contains(s.Neighbour, p.Neighbour)
	threads := s.Threads == 0 || s.Threads == p.ServerThreads
	return neighbour && threads && p.Filter == "" && p.Submode != scalable && p.Store == s.Store &&
		allows(s.Placement, p.Placement) && allows(s.Submode, p.Submode) && allows(s.Hash, p.Hash)
}
