package sweep

import "dpukv/results"

// Asked fills in what a point was to be.
func (pt *Point) Asked(p *results.Point) {
	p.Schema, p.ID, p.Repeat = results.SchemaVersion, pt.ID, pt.Repeat
	p.Store, p.Placement, p.Submode, p.Filter = pt.Store, pt.Placement, pt.Submode, pt.Filter
	p.Load, p.ServerThreads, p.ClientThreads = pt.Load, pt.ServerThreads, pt.ClientThreads
}

// OfOneClient is the part of one of several clients: they share the rate out.
func (pt *Point) OfOneClient(clients int) *Point {
	one := *pt
	one.RateOps /= float64(clients)
	return &one
}
