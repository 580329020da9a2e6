package sweep

import (
	"fmt"
	"strings"

	"dpukv/load"
	"dpukv/results"
)

// Asked fills in the requested values of a point.
func (pt *Point) Asked(p *results.Point) {
	p.Schema, p.ID, p.Repeat = results.SchemaVersion, pt.ID, pt.Repeat
	p.Store, p.Placement, p.Submode, p.Filter = pt.Store, pt.Placement, pt.Submode, pt.Filter
	p.RateShare = pt.RateShare
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
	compare("client_threads", asked.ClientThreads, used.ClientThreads)
	compare("mode", asked.Mode, used.Mode)
	compare("access", asked.Access, used.Access)
	for _, f := range load.Fields() {
		compare(f.Name, f.Value(&asked.Load), f.Value(&used.Load))
	}
	if differences == nil {
		return nil
	}
	return fmt.Errorf("the measured configuration differs from the request: %s",
		strings.Join(differences, "; "))
}

// Point is one measurement to make: a configuration, and the number of its repeat (from 1).
type Point struct {
	ID     string
	Repeat int
	Config
}
