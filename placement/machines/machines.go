package machines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"dpukv/internal/killed"
	"dpukv/placement/emulate"
	"dpukv/placement/launch"
	"dpukv/placement/node"
	"dpukv/placement/submode"
	"dpukv/placement/submode/card"
	"dpukv/placement/testbed"
)

// Machines is a running testbed. It makes the emulated machines, and turns a command for a node
// into a local command.
type Machines struct {
	Bed      testbed.Testbed // with the addresses that the emulated machines got
	Lab      *emulate.Lab    // the current one of labs; nil: no machine is emulated
	labs     map[wiring]*emulate.Lab
	keeper   []string // holds the emulated machines; nil: this binary's
	offloads string   // of their interfaces

	applied    *submode.Lease // nil: none
	appliedKey string

	Command  []string // becomes a node's agent here
	timeouts node.Timeouts

	mu        sync.Mutex
	installed map[string]string    // a binary's path, by node and program
	seen      map[string]card.Node // interfaces and cards, by node and address

	sharing     sync.Mutex
	connections map[string]*launch.Shared // by node, for commands; nil: none, each connects itself
}

// New makes the emulated machines, connected for the first of the submodes. The keeper is the
// command that holds them; nil: this binary's.
func New(
	ctx context.Context, bed *testbed.Testbed, command, keeper []string, p node.Timeouts,
	submodes ...string,
) (*Machines, error) {
	m := &Machines{
		Bed: *bed, Command: command, timeouts: p, installed: map[string]string{},
		labs: map[wiring]*emulate.Lab{}, keeper: keeper, offloads: offloadsOf(submodes),
	}
	return m, m.Wire(ctx, append(submodes, submode.OffPath)[0])
}

// Close undoes the applied submode, ends shared connections and removes the emulated machines.
func (m *Machines) Close() error {
	errs := []error{m.Clear(), m.disconnect()}
	for _, lab := range m.labs {
		errs = append(errs, lab.Close())
	}
	return errors.Join(errs...)
}

// Gone reports whether the emulated machines have ended by themselves.
func (m *Machines) Gone() bool {
	if m.Lab == nil {
		return false
	}
	select {
	case <-m.Lab.Done():
		return true
	default:
		return false
	}
}

// Program is a dpukv beside this one, which nodes can run too.
type Program struct {
	Command []string // becomes a node's agent here
	Binary  string   // its file here, from which other machines get theirs
}

// argv returns the local command that runs an agent on the node.
func (m *Machines) argv(ctx context.Context, n *testbed.Node, by *Program) ([]string, error) {
	command, binaries := m.Command, launch.Binaries{Dir: m.Bed.Binaries}
	if by != nil {
		command, binaries = by.Command, launch.Binaries{Program: by.Binary}
	}
	if n.Binary != "" { // another build of this program, such as one for another architecture
		command = []string{n.Binary, node.Subcommand}
	}
	if n.Emulated() {
		return m.Lab.Argv(n.Name, command)
	}
	if n.OnThisMachine() {
		return launch.Command(&n.Node, command)
	}
	path, err := m.install(ctx, n, binaries)
	if err != nil {
		return nil, err
	}
	return launch.Command(&n.Node, []string{path, node.Subcommand})
}

// install puts a binary on the node, once.
func (m *Machines) install(
	ctx context.Context, n *testbed.Node, from launch.Binaries,
) (string, error) {
	key := n.Name + " " + from.Program
	m.mu.Lock()
	path, ok := m.installed[key]
	m.mu.Unlock()
	if ok {
		return path, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, m.timeouts.Install,
		fmt.Errorf("node %s: the binary was not there after %v", n.Name, m.timeouts.Install))
	defer cancel()
	path, err := launch.Install(ctx, &n.Node, from)
	if err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.installed[key] = path
	return path, nil
}

// Strength gives an emulated machine the CPU time of as many of its cores as it runs threads.
func (m *Machines) Strength(n *testbed.Node, threads int) (quotaCPUs float64, err error) {
	if !n.Emulated() || n.Profile == emulate.NoProfile {
		return 0, nil
	}
	return m.Lab.SetCores(n.Name, threads)
}

// Notes returns the deviations of the emulated machines from their profiles, each once.
func (m *Machines) Notes() []string {
	var notes []string
	of := map[string][]string{}
	for i := range m.Bed.Nodes {
		n := &m.Bed.Nodes[i]
		facts := m.EmulatedFacts(n)
		if facts == nil {
			continue
		}
		for _, note := range facts.Notes {
			if of[note] == nil {
				notes = append(notes, note)
			}
			of[note] = append(of[note], n.Name)
		}
	}
	for i, note := range notes {
		notes[i] = strings.Join(of[note], ", ") + ": " + note
	}
	return notes
}

// EmulatedFacts returns the facts of an emulated machine; nil for other machines.
func (m *Machines) EmulatedFacts(n *testbed.Node) *emulate.MachineFacts {
	if !n.Emulated() {
		return nil
	}
	facts := m.Lab.Facts()
	i := slices.IndexFunc(facts.Machines, func(f emulate.MachineFacts) bool {
		return f.Name == n.Name
	})
	if i < 0 {
		return nil
	}
	return &facts.Machines[i]
}

// Agent starts a node's agent and receives its hello. Without a program beside this one, the agent
// is this program.
func (m *Machines) Agent(
	ctx context.Context, n *testbed.Node, by *Program,
) (*node.Process, *node.Hello, error) {
	argv, err := m.argv(ctx, n, by)
	if err != nil {
		return nil, nil, err
	}
	timeouts := m.timeouts
	if !n.OnThisMachine() {
		timeouts.Stop = max(timeouts.Stop, timeouts.Loss)
	}
	p, err := node.StartProcess(n.Name, argv, timeouts)
	if err != nil {
		return nil, nil, err
	}
	if !n.OnThisMachine() {
		p.Explain = func(said string, err error) error { return launch.Explain(&n.Node, said, err) }
	}
	h, err := node.Expect[*node.Hello](ctx, p, m.timeouts.Hello, "say hello")
	if err != nil {
		p.Close()
		return nil, nil, err
	}
	h.Heard = time.Now()
	p.Endings = m.endings(n, h)
	return p, h, nil
}

// killCountTimeout bounds the command that reads how many processes a machine's kernel killed.
const killCountTimeout = 5 * time.Second

// endings counts the kernel's kills on a node, from its hello on.
func (m *Machines) endings(n *testbed.Node, h *node.Hello) node.Endings {
	e := node.Endings{Before: h.Killed}
	if n.OnThisMachine() {
		return e
	}
	node := m.SubmodeNode(n)
	e.Now = func() killed.Count {
		ctx, cancel := context.WithTimeout(context.Background(), killCountTimeout)
		defer cancel()
		text, err := node.Run(ctx, killed.Look)
		if err != nil {
			return killed.Count{}
		}
		return killed.Parse(strings.NewReader(text))
	}
	return e
}
