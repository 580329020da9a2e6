package path

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dpukv/placement/machines"
	"dpukv/placement/process"
	"dpukv/placement/submode"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// Path is the way of a trial. The zero value is that of a trial on one machine: none.
type Path struct {
	Nodes   testbed.Assignment // with their addresses and devices in the cards' modes
	submode string
	cards   cards

	leased  *leased // nil: nothing on the path forwards
	carrier carrier // nil: no evidence
	began   time.Time
}

// carrier proves from its counters that it carried a load.
type carrier interface {
	begin(ctx context.Context) error
	// end compares with the counts at begin, and puts the evidence into the point.
	end(ctx context.Context, p *results.Point) error
}

// Find reads the cards of a point, and refuses those in another mode than the submode's.
func Find(
	ctx context.Context, m *machines.Machines, pt *sweep.Point, c *testbed.Assignment,
) (*Path, error) {
	nodes, cards, err := visitCards(ctx, m, pt.Submode, c)
	return &Path{Nodes: nodes, submode: pt.Submode, cards: cards}, err
}

// SetUp sets up the submode's datapath, or keeps the current one. It expects packets of the full
// size to cross, from each client. cpus are those of this machine.
func (p *Path) SetUp(
	ctx context.Context, m *machines.Machines, pt *sweep.Point, cpus []int,
) (err error) {
	switch {
	case pt.Submode == submode.Direct:
		p.carrier = &cable{nodes: &p.Nodes, lab: m.Lab}
	case pt.Submode == submode.OffPathSF:
		p.carrier = newArmHits(p.cards, m.Arm)
	case submode.OnPath(pt.Submode):
		if p.leased, err = lease(ctx, m, pt, &p.Nodes, cpus); err != nil {
			return err
		}
		p.carrier = p.leased
		return p.leased.checkFullSize(ctx, m)
	}
	return m.Clear()
}

// Begin reads the counters before the load.
func (p *Path) Begin(ctx context.Context) (err error) {
	if p.carrier != nil {
		err = p.carrier.begin(ctx)
	}
	p.began = time.Now()
	return err
}

// End proves from the counters after the load which datapath carried it.
func (p *Path) End(ctx context.Context, point *results.Point) error {
	if p.carrier == nil {
		return nil
	}
	point.EvidenceNs = time.Since(p.began).Nanoseconds()
	return p.carrier.end(ctx, point)
}

// Warnings returns the warnings for a point's figures, with those of the cards first.
func (p *Path) Warnings(list []*process.Process) results.Warnings {
	warnings := p.cards.warnings(p.submode, &p.Nodes)
	if p.leased != nil {
		warnings = append(warnings, p.leased.warnings(list)...)
	}
	return warnings
}

// Cards returns the cards as a point has them.
func (p *Path) Cards() []results.Card { return p.cards.results() }

// Forwarders returns the CPUs of this machine that a datapath in user space has.
func (p *Path) Forwarders() []int {
	if p.leased == nil || !p.leased.InUserSpace() || !p.leased.dpu.OnThisMachine() {
		return nil
	}
	return p.leased.CPUs()
}

// diagnosisTimeout bounds the search for what broke a point.
const diagnosisTimeout = 20 * time.Second

// Blame prepends the cause of a broken point, where it is known: the datapath between client and
// server. The clients' own errors (no answers) only follow from it.
func (p *Path) Blame(ctx context.Context, err error) error {
	if p.leased == nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), diagnosisTimeout,
		errors.New("no answer in time"))
	defer cancel()
	if why := p.leased.Broken(ctx); why != nil {
		return fmt.Errorf("%w; so that %w", why, err)
	}
	return p.leased.blameFilter(ctx, err)
}

// endsOf returns the counts of the ends. Without those of the clients it returns nil, and the point
// has a warning.
func endsOf(point *results.Point) *submode.Ends {
	ends := submode.EndsOf(&point.ClientMovedLoad, &point.ServerMovedLoad)
	if ends == nil {
		point.Warnings = append(point.Warnings, results.Unproven.Warn("what the clients sent is "+
			"not known from their own counts, so a second way beside the one that is measured "+
			"would not be seen"))
	}
	return ends
}

// advise tells where to look for the packets' way.
func advise(nodes *testbed.Assignment, err error) error {
	if err == nil || !errors.Is(err, submode.ErrAnotherWay) {
		return err
	}
	var ask []string
	for i := range nodes.Clients {
		c := &nodes.Clients[i]
		ask = append(ask, fmt.Sprintf("on %s: ip route get %s; on %s: ip route get %s",
			c.Name, nodes.Server.Address, nodes.Server.Name, c.Address))
	}
	return fmt.Errorf("%w\nTo do: look for a second cable or route between client and server: %s",
		err, strings.Join(ask, "; "))
}
