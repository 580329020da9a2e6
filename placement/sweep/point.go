package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dpukv/kvs"
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
	p.Build = pt.Build
	for _, f := range kvs.SetupFields() {
		if !pt.leaves(&f) { // else it stays as the ends told it
			f.Copy(&p.Setup, &pt.Setup)
		}
	}
	p.Load, p.ClientThreads = pt.Load, pt.ClientThreads
	if !pt.takes("server_threads") || p.ServerThreads == 0 { // 0: no server has told its number
		p.ServerThreads = pt.ServerThreads
	}
}

// leaves reports whether the sweep leaves a field of the setup to the ends.
func (pt *Point) leaves(f *kvs.SetupField) bool {
	return f.Optional && f.IsZero(&pt.Setup) || pt.takes(f.Key)
}

// takes reports whether a key's value is that of the server attached to.
func (pt *Point) takes(key string) bool { return slices.Contains(strings.Fields(pt.taken), key) }

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
	if pt.takes("server_threads") {
		asked.ServerThreads = used.ServerThreads
	}
	setup := pt.Setup
	if used.Lanes != nil {
		setup.EngineThreads = cmp.Or(pt.EngineThreads, pt.ServerThreads)
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
	for _, f := range kvs.SetupFields() {
		if !f.Untold && !(f.Unset && pt.leaves(&f)) && !pt.takes(f.Key) {
			compare(f.Name, f.Text(&setup), f.Text(&used.Setup))
		}
	}
	compare("client_threads", asked.ClientThreads, used.ClientThreads)
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
