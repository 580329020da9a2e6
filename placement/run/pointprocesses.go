package run

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

	"dpukv/placement/node"
	"dpukv/placement/testbed"
)

// member is one process of a point.
type member struct {
	*node.Process
	end   end
	hello *node.Hello
}

// pointProcesses are the processes of a point: they begin together, and if one fails, all end.
type pointProcesses struct {
	server    *member
	clients   []*member
	neighbour *member // nil: none
	store     *member // the store half of a split server; nil: the server is whole
	proxy     *member // the network half of the client; nil: the client is whole
}

// startError is the error of processes that did not even start. The point's configuration has no
// part in it.
type startError struct {
	nodes []string
	error
}

func (e startError) Unwrap() error { return e.error }

// grace is how long a start waits for the other nodes once one has failed. Nodes often fail alike,
// and the report should not depend on which was first.
const grace = time.Second

var errOther = errors.New("another node did not start")

// startAll starts a process on every node, all at once. The server's node is the first.
func startAll(
	ctx context.Context, nodes []*testbed.Node,
	start func(context.Context, *testbed.Node) (*member, error),
) (*pointProcesses, error) {
	members, errs := make([]*member, len(nodes)), make([]error, len(nodes))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for i, n := range nodes {
		all.Go(func() {
			if members[i], errs[i] = start(ctx, n); errs[i] != nil {
				time.AfterFunc(grace, func() { cancel(errOther) })
			}
		})
	}
	all.Wait()
	var failed startError
	for i, err := range errs {
		if err != nil && !errors.Is(err, errOther) {
			failed.nodes = append(failed.nodes, nodes[i].Name)
			if failed.error == nil {
				failed.error = err
			}
		}
	}
	if failed.error != nil {
		return nil, errors.Join(failed, closeAll(members))
	}
	members[0].end.server = true
	return &pointProcesses{server: members[0], clients: members[1:]}, nil
}

// takeNeighbour makes the last process that started the neighbour of the others.
func (e *pointProcesses) takeNeighbour() {
	last := len(e.clients) - 1
	e.neighbour, e.clients = e.clients[last], e.clients[:last]
}

// takeHalves makes the last processes that started the halves of an assignment.
func (e *pointProcesses) takeHalves(nodes *testbed.Assignment) {
	take := func(role string) *member {
		last := len(e.clients) - 1
		m := e.clients[last]
		e.clients, m.end.role = e.clients[:last], role
		return m
	}
	if nodes.Proxy != nil {
		e.proxy = take(roleProxy)
	}
	if nodes.Store != nil {
		e.store = take(roleStore)
	}
}

// itemsAt returns the process that has the items.
func (e *pointProcesses) itemsAt() *member {
	if e.store != nil {
		return e.store
	}
	return e.server
}

// all returns all processes, the server first.
func (e *pointProcesses) all() []*member {
	if e.neighbour == nil {
		return e.members()
	}
	return append(e.members(), e.neighbour)
}

// members returns the processes of the store and its load, the server first.
func (e *pointProcesses) members() []*member {
	list := append([]*member{e.server}, e.clients...)
	for _, half := range []*member{e.store, e.proxy} {
		if half != nil {
			list = append(list, half)
		}
	}
	return list
}

// close ends the clients and the neighbour, then the server.
func (e *pointProcesses) close() error {
	return errors.Join(closeAll(append(slices.Clone(e.clients), e.neighbour)),
		closeAll([]*member{e.proxy, e.server}), closeAll([]*member{e.store}))
}

// lost prepends the lost connection of a failed point. The other errors follow from it.
func (e *pointProcesses) lost(err error) error {
	if err == nil {
		return nil
	}
	for _, m := range e.all() {
		if why := m.Lost(); why != nil && !strings.Contains(err.Error(), why.Error()) {
			return fmt.Errorf("%w; so that %w", why, err)
		}
	}
	return err
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

// each runs do for every client from number from on, all at once. The first error ends them all.
func (e *pointProcesses) each(
	ctx context.Context, from int, do func(ctx context.Context, i int) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	var once sync.Once
	var cause error
	for i := from; i < len(e.clients); i++ {
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
func (e *pointProcesses) machine(attached string) (digest string, hosts []string) {
	members, h := e.members(), sha256.New()
	if attached != "" {
		fmt.Fprintf(h, "%s\n", attached)
		members = e.clients
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

// sameKernel reports whether two members run on one machine.
func (m *member) sameKernel(o *member) bool {
	return m.end.kernel != "" && m.end.kernel == o.end.kernel
}

// dead prepends the member of a failed point that ended by itself, the server before the clients.
// The others' errors ("connection reset", "no answer") only follow from that. Call it after all
// have ended.
func (e *pointProcesses) dead(err error) error {
	if err == nil {
		return nil
	}
	members := e.all()
	if e.store != nil { // its engine ends with it
		members = append([]*member{e.store}, members...)
	}
	for _, m := range members {
		speaks := m.end.server || m.end.role != "" || m == e.neighbour
		why := m.OwnEnd(speaks)
		switch {
		case why != nil && !m.NamedIn(err):
			return fmt.Errorf("%w; so that %w", why, err)
		case why != nil && m == e.store:
			return err
		}
	}
	return err
}

// emulatorWarnings warns of members whose instructions an emulator translates. Such a point proves
// that dpukv works on the architecture, but says nothing about its speed.
func (e *pointProcesses) emulatorWarnings() (warnings []string) {
	for _, m := range e.members() {
		if how := m.hello.Machine.Emulator; how != "" {
			warnings = append(warnings,
				fmt.Sprintf("node %s runs under an emulator (%s): its times are those of no "+
					"machine",
					m.end.node.Name, how))
		}
	}
	return warnings
}
