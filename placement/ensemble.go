package placement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"dpukv/internal/machine"
)

// member is one process of a point.
type member struct {
	*process
	end   end
	hello *hello
}

// ensemble is the processes of a point: they begin together, and when one fails all end.
type ensemble struct {
	server  *member
	clients []*member
}

// startError is that of processes that did not even come up: what they were to measure has no part in it.
type startError struct {
	nodes []string
	error
}

func (e startError) Unwrap() error { return e.error }

// grace is how long a start waits for other nodes once one has failed: they often fail alike, and
// who is told then should not depend on who was first.
const grace = time.Second

var errOther = errors.New("another node did not start")

// assemble starts a process on every node of the cast, all at once.
func (r *runner) assemble(ctx context.Context, c *cast) (*ensemble, error) {
	nodes := c.all()
	members, errs := make([]*member, len(nodes)), make([]error, len(nodes))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for i, n := range nodes {
		all.Go(func() {
			if members[i], errs[i] = r.begin(ctx, n); errs[i] != nil {
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
	return &ensemble{members[0], members[1:]}, nil
}

// begin starts a node's process and makes sure that it is this program.
func (r *runner) begin(ctx context.Context, n *Node) (*member, error) {
	p, h, err := r.machines.agent(ctx, n)
	if err != nil {
		return nil, err
	}
	if err := recognize(n, h, r.Version, r.build); err != nil {
		return nil, errors.Join(err, p.close())
	}
	r.meet(n, h)
	return &member{process: p, end: end{node: n, kernel: h.Kernel, cores: h.Cores}, hello: h}, nil
}

// members are all of them, the server first.
func (e *ensemble) members() []*member { return append([]*member{e.server}, e.clients...) }

// close ends the clients, then the server.
func (e *ensemble) close() error { return errors.Join(closeAll(e.clients), e.server.close()) }

// lost puts first what a failed point's members tell of a lost connection, which others only suffer from.
func (e *ensemble) lost(err error) error {
	if err == nil {
		return nil
	}
	for _, m := range e.members() {
		if why := m.lost(); why != nil && !strings.Contains(err.Error(), why.Error()) {
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
			all.Go(func() { errs[i] = m.close() })
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// each does something for every client from one on, all at once. The first error ends them all.
func (e *ensemble) each(ctx context.Context, from int, do func(ctx context.Context, i int) error) error {
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

// settle shares out the CPUs, and gives emulated machines their strength.
func (r *runner) settle(e *ensemble, pt *Point) (doubts []string, err error) {
	var ends []*end
	for _, m := range e.members() {
		m.end.threads = pt.threads(m.end.server)
		ends = append(ends, &m.end)
	}
	planCPUs(ends)
	weak, err := r.strengthen(ends)
	return append(cpuDoubts(ends), weak...), err
}

// strengthen gives each emulated machine the time of as many cores as there are threads on it.
func (r *runner) strengthen(ends []*end) (doubts []string, err error) {
	threads, cpus := map[string]int{}, map[string][]int{}
	for _, e := range ends {
		name := e.node.Name
		threads[name] += e.threads
		cpus[name] = append(cpus[name], e.cpus...)
		quota, err := r.machines.strength(e.node, threads[name]) // of several ends there, the last call counts
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", name, err)
		}
		slices.Sort(cpus[name])
		if have := len(slices.Compact(slices.Clone(cpus[name]))); quota > float64(have) {
			doubts = append(doubts, fmt.Sprintf("node %s is weaker than its model: %d threads are to have the time of %.2f CPUs, and it runs on %d",
				name, threads[name], quota, have))
		}
	}
	return doubts, nil
}

// threads is how many of them an end has.
func (c *Config) threads(server bool) int {
	if server {
		return c.ServerThreads
	}
	return c.ClientThreads
}

// recognize refuses a node that runs another program than this one: its points would be of that one.
func recognize(n *Node, h *hello, version, build string) error {
	same := h.Build == build
	if arch := h.Machine.Arch; arch != "" && arch != machine.Arch() { // then its digest is another
		same = h.Version == version && h.Source == source()
	}
	switch {
	case h.Protocol != protocolVersion:
		return fmt.Errorf("node %s: its dpukv (%s) speaks protocol %d, this one (%s) speaks %d: install this one there",
			n.Name, h.Version, h.Protocol, version, protocolVersion)
	case !same:
		return fmt.Errorf("node %s: its dpukv is another build (%s, %s) than the one that sweeps (%s, %s): "+
			"was the binary replaced meanwhile? Continue with the one there is now",
			n.Name, h.Version, h.Build, version, build)
	}
	return nil
}

// sameKernel reports whether two members run on one machine.
func (m *member) sameKernel(o *member) bool {
	return m.end.kernel != "" && m.end.kernel == o.end.kernel
}
