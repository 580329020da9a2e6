package sweep

import (
	"cmp"
	"fmt"
	"strings"

	"dpukv/kvs/stores"
	"dpukv/load"
	"dpukv/results"
)

// Asked fills in the requested values of a point.
func (pt *Point) Asked(p *results.Point) {
	p.Schema, p.ID, p.Repeat = results.SchemaVersion, pt.ID, pt.Repeat
	if pt.IsProbe() {
		p.Measure, p.Settings = pt.Measure, pt.Settings.Map()
		p.Placement, p.Submode, p.Seed = pt.Placement, pt.Submode, pt.Seed
		return
	}
	p.Store, p.Placement, p.Submode, p.Filter = pt.Store, pt.Placement, pt.Submode, pt.Filter
	p.RateShare = pt.RateShare
	p.Neighbour = pt.Neighbour
	p.Build, p.MemoryBytes = pt.Build, pt.Memory
	// What the sweep leaves open stays as the ends told it.
	p.EngineThreads = cmp.Or(pt.EngineThreads, p.EngineThreads)
	p.Answers, p.Wait = cmp.Or(pt.Answers, p.Answers), cmp.Or(pt.Wait, p.Wait)
	p.ServerWait = cmp.Or(pt.ServerWait, p.ServerWait)
	p.Neighbourhood = cmp.Or(pt.Neighbourhood, p.Neighbourhood)
	p.Inline = cmp.Or(pt.Inline, p.Inline)
	p.Validate = cmp.Or(pt.ReadCheck, p.Validate)
	p.Load, p.ClientThreads = pt.Load, pt.ClientThreads
	if !pt.takeThreads || p.ServerThreads == 0 { // 0: no server has told its number
		p.ServerThreads = pt.ServerThreads
	}
}

// OfOneClient returns the part of one of several clients. The clients share the rate
// and the requests.
func (pt *Point) OfOneClient(clients int) *Point {
	one := *pt
	one.RateOps /= float64(clients)
	one.Requests /= clients
	return &one
}

// VerifyUsed fails if an end reports other values than the requested ones. A point contains the
// used values, and the requested ones must not hide a difference.
func (pt *Point) VerifyUsed(used *results.Point) error {
	if pt.IsProbe() {
		return pt.verifyFacts(used)
	}
	var asked results.Point
	pt.Asked(&asked)
	asked.Mode, asked.Access = pt.Mode, pt.Access
	if pt.takeMode {
		asked.Mode = used.Mode
	}
	if pt.takeThreads {
		asked.ServerThreads = used.ServerThreads
	}
	var differences []string
	compare := func(name string, asked, used any) {
		if asked != used {
			differences = append(differences,
				fmt.Sprintf("%s: asked for %v, used %v", name, asked, used))
		}
	}
	compare("store", asked.Store, used.Store)
	compare("server_threads", asked.ServerThreads, used.ServerThreads)
	pt.compareHalves(used, compare)
	if used.Lanes == nil && !pt.takeServerWait {
		compare("server_wait", serverWaits.Format(pt.ServerWait),
			serverWaits.Format(used.ServerWait))
	}
	pt.compareReads(used, compare)
	compare("client_threads", asked.ClientThreads, used.ClientThreads)
	compare("mode", asked.Mode, used.Mode)
	compare("access", asked.Access, used.Access)
	if pt.Protocol != "" {
		told := used.Protocol
		if st, err := stores.Named(used.Store); err == nil {
			told = st.ProtocolOf(told)
		}
		compare("protocol", pt.Protocol, told)
	}
	for _, f := range load.Fields() {
		if f.Value(&asked.Load) != f.Value(&used.Load) {
			differences = append(differences, fmt.Sprintf("%s: asked for %s, used %s", f.Name,
				f.Text(&asked.Load), f.Text(&used.Load)))
		}
	}
	if differences == nil {
		return nil
	}
	return fmt.Errorf("the measured configuration differs from the request: %s",
		strings.Join(differences, "; "))
}

// compareHalves compares what only points in halves have, also if the sweep asks for the defaults.
func (pt *Point) compareHalves(used *results.Point, compare func(name string, asked, used any)) {
	if used.Lanes != nil {
		compare("engine_threads", cmp.Or(pt.EngineThreads, pt.ServerThreads), used.EngineThreads)
	}
	for _, l := range []struct {
		name string
		used *results.Lanes
	}{{"lanes", used.Lanes}, {"proxy_lanes", used.ProxyLanes}} {
		if l.used != nil {
			compare("answers of "+l.name, answersOfLanes.Format(pt.Answers), l.used.Answers)
			compare("wait of "+l.name, waitOfHalves.Format(pt.Wait), l.used.Wait)
		}
	}
}

// verifyFacts fails if a probe used another value than that of a setting with the fact's name.
func (pt *Point) verifyFacts(used *results.Point) error {
	for _, asked := range pt.Settings.List() {
		for _, facts := range []map[string]string{used.Facts, used.ServerFacts} {
			if is, told := facts[asked.Name]; told && is != asked.Value {
				return fmt.Errorf("%s: asked for %s, used %s", asked.Name, asked.Value, is)
			}
		}
	}
	return nil
}

// Point is one measurement to make: a configuration, and the number of its repeat (from 1).
type Point struct {
	ID     string
	Repeat int
	Config
}

// compareReads compares what only points of such a store have, also if the sweep asks for the
// defaults.
func (pt *Point) compareReads(used *results.Point, compare func(name string, asked, used any)) {
	if used.Items == nil {
		return
	}
	if pt.Neighbourhood > 0 {
		compare("neighbourhood", pt.Neighbourhood, used.Neighbourhood)
	}
	compare("inline", inlined.Format(pt.Inline), used.Inline)
	compare("validate", validated.Format(pt.ReadCheck), used.Validate)
}
