package trial

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"dpukv/internal/machine"
	"dpukv/placement/node"
	"dpukv/placement/process"
	"dpukv/results"
)

// member is one process of a trial.
type member struct {
	*node.Process
	place *process.Process
	hello *node.Hello
}

// sameKernel reports whether two members run on one machine.
func (m *member) sameKernel(o *member) bool {
	return m.place.Kernel != "" && m.place.Kernel == o.place.Kernel
}

// group are the processes of a trial: they begin together, and if one fails, all end.
type group struct {
	members   []*member // in the order of process.For
	neighbour *member   // nil: none
	ended     bool      // the neighbour did, as it was told
}

// StartError is the error of processes that did not even start. The point's configuration has no
// part in it.
type StartError struct {
	Nodes []string
	Err   error
}

func (e StartError) Error() string { return e.Err.Error() }
func (e StartError) Unwrap() error { return e.Err }

// grace is how long a start waits for the other nodes once one has failed. Nodes often fail alike,
// and the report should not depend on which was first.
const grace = time.Second

var errOther = errors.New("another node did not start")

// start starts all processes at once, the neighbour's included.
func (t *trial) start(ctx context.Context) (*group, error) {
	list := t.plan.Processes
	members, errs := make([]*member, len(list)), make([]error, len(list))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for i, p := range list {
		all.Go(func() {
			agent, hello, err := t.b.Start(ctx, p.Node)
			if errs[i] = err; err != nil {
				time.AfterFunc(grace, func() { cancel(errOther) })
				return
			}
			p.Kernel, p.Cores = hello.Kernel, hello.Cores
			members[i] = &member{agent, p, hello}
		})
	}
	all.Wait()
	var failed StartError
	for i, err := range errs {
		if err != nil && !errors.Is(err, errOther) {
			failed.Nodes = append(failed.Nodes, list[i].Node.Name)
			if failed.Err == nil {
				failed.Err = err
			}
		}
	}
	if failed.Err != nil {
		return nil, errors.Join(failed, closeAll(members))
	}
	return newGroup(members), nil
}

// newGroup takes the neighbour out of the members.
func newGroup(members []*member) *group {
	g := &group{members: members}
	if last := len(members) - 1; members[last].place.Role == process.Neighbour {
		g.members, g.neighbour = members[:last], members[last]
	}
	return g
}

// first returns what clients connect to, or the only process.
func (g *group) first() *member { return g.members[0] }

// named returns the member with a role; nil: none has it.
func (g *group) named(role process.Role) *member {
	for _, m := range g.everyone() {
		if m.place.Role == role {
			return m
		}
	}
	return nil
}

// everyone returns the processes that should run.
func (g *group) everyone() []*member {
	if g.neighbour == nil || g.ended {
		return g.members
	}
	return append(slices.Clip(g.members), g.neighbour)
}

func (g *group) clients() (list []*member) {
	for _, m := range g.members {
		if m.place.Role == process.Client {
			list = append(list, m)
		}
	}
	return list
}

// serving returns what others connect to, in the order in which they start.
func (g *group) serving() (list []*member) {
	if len(g.members) == 1 {
		return nil // a probe of one machine
	}
	for _, role := range process.StartOrder {
		if m := g.named(role); m != nil {
			list = append(list, m)
		}
	}
	return list
}

// measuring returns the members that wait for go: the clients, or else the only one.
func (g *group) measuring() []*member {
	if len(g.members) == 1 {
		return g.members
	}
	return g.clients()
}

// itemsAt returns the process that has the items.
func (g *group) itemsAt() *member {
	if store := g.named(process.Store); store != nil {
		return store
	}
	return g.first()
}

// processes returns the processes of the store and its load, or of the probe.
func (g *group) processes() (list []*process.Process) {
	for _, m := range g.members {
		list = append(list, m.place)
	}
	return list
}

// endNeighbour ends the neighbour before the others.
func (g *group) endNeighbour() error {
	g.ended = true
	return g.neighbour.Close()
}

// close ends the processes in their order.
func (g *group) close() error {
	var errs []error
	for _, roles := range process.EndOrder {
		errs = append(errs, closeAll(slices.DeleteFunc(slices.Clone(g.everyone()),
			func(m *member) bool { return !slices.Contains(roles, m.place.Role) })))
	}
	return errors.Join(errs...)
}

func closeAll(members []*member) error {
	errs := make([]error, len(members))
	var all sync.WaitGroup
	for i, m := range members {
		if m != nil {
			all.Go(func() { errs[i] = m.Close() })
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// each runs do for all members at once. The first error ends them all.
func each(
	ctx context.Context, members []*member, do func(ctx context.Context, i int) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	var once sync.Once
	var cause error
	for i := range members {
		all.Go(func() {
			if err := do(ctx, i); err != nil {
				once.Do(func() { cause = err })
				cancel(err)
			}
		})
	}
	all.Wait()
	return cause
}

// machine returns the digest over the identities of the members' machines, the server first, and
// the names of these machines. The machine of a server that ran already is known by its address
// only. Without the identity of a machine there is no digest.
func (g *group) machine(attached string) (digest string, hosts []string) {
	members, h := g.members, sha256.New()
	if attached != "" {
		fmt.Fprintf(h, "%s\n", attached)
		members = g.clients()
	}
	for _, m := range members {
		facts := &m.hello.Machine
		if facts.Identity == "" {
			return "", nil
		}
		fmt.Fprintln(h, facts.Identity)
		if facts.Hostname != "" && !slices.Contains(hosts, facts.Hostname) {
			hosts = append(hosts, facts.Hostname)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), hosts
}

// builds returns the digests of the members' binaries, each once.
func (g *group) builds() (digests []string) {
	for _, m := range g.members {
		if !slices.Contains(digests, m.hello.Build) {
			digests = append(digests, m.hello.Build)
		}
	}
	return digests
}

// emulatorWarnings warns of members whose instructions an emulator translates.
func (g *group) emulatorWarnings() (warnings results.Warnings) {
	for _, m := range g.members {
		how := m.hello.Machine.Emulator
		if w := machine.EmulatorWarning("node "+m.place.Node.Name, how); w != "" {
			warnings = append(warnings, results.Emulation.Warn("%s", w))
		}
	}
	return warnings
}

// lost prepends the lost connection of a failed point. The other errors follow from it.
func (g *group) lost(err error) error {
	if err == nil {
		return nil
	}
	for _, m := range g.everyone() {
		if why := m.Lost(); why != nil && !strings.Contains(err.Error(), why.Error()) {
			return fmt.Errorf("%w; so that %w", why, err)
		}
	}
	return err
}

// dead prepends the member of a failed point that ended by itself, what serves before the clients.
// The others' errors ("connection reset", "no answer") only follow from that. Call it after all
// have ended.
func (g *group) dead(err error) error {
	if err == nil {
		return nil
	}
	members := g.everyone()
	if store := g.named(process.Store); store != nil { // its engine ends with it
		members = append([]*member{store}, members...)
	}
	for _, m := range members {
		switch why := m.OwnEnd(m.place.Role != process.Client); {
		case why != nil && !m.NamedIn(err):
			return fmt.Errorf("%w; so that %w", why, err)
		case why != nil && m.place.Role == process.Store:
			return err
		}
	}
	return err
}
