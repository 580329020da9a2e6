package placement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"dpukv/placement/emulate"
	"dpukv/placement/launch"
	"dpukv/placement/submode"
)

// machines is the testbed at work: it makes those that are emulated, and turns what is to run on a node into what
// to run here.
type machines struct {
	bed      Testbed      // with the addresses that the emulated machines got
	lab      *emulate.Lab // the one of labs that is used now; nil: no machine is emulated
	labs     map[wiring]*emulate.Lab
	keeper   []string // holds the emulated machines; nil: this binary's
	offloads string   // of their interfaces

	applied    *submode.Lease // nil: none
	appliedKey string

	command  []string // becomes a node's agent here
	patience patience

	mu        sync.Mutex
	installed map[string]string // the binary's path, by node
}

// keeper is the command that holds the emulated machines; nil: this binary's. They are joined for the first of the submodes.
func newMachines(ctx context.Context, bed *Testbed, command, keeper []string, p patience, submodes ...string) (*machines, error) {
	m := &machines{
		bed: *bed, command: command, patience: p, installed: map[string]string{},
		labs: map[wiring]*emulate.Lab{}, keeper: keeper, offloads: offloadsOf(submodes),
	}
	return m, m.wire(ctx, append(submodes, submode.OffPath)[0])
}

// Close undoes the submode that is applied, and takes the emulated machines away.
func (m *machines) Close() error {
	errs := []error{m.clear()}
	for _, lab := range m.labs {
		errs = append(errs, lab.Close())
	}
	return errors.Join(errs...)
}

// gone reports whether the emulated machines have ended by themselves.
func (m *machines) gone() bool {
	if m.lab == nil {
		return false
	}
	select {
	case <-m.lab.Done():
		return true
	default:
		return false
	}
}

// argv is the command to run here to get an agent on the node.
func (m *machines) argv(ctx context.Context, n *Node) ([]string, error) {
	command := m.command
	if n.Binary != "" { // another build of this program, such as one for another architecture
		command = []string{n.Binary, agentCommand}
	}
	if n.made() {
		return m.lab.Argv(n.Name, command)
	}
	if n.here() {
		return launch.Command(&n.Node, command)
	}
	path, err := m.install(ctx, n)
	if err != nil {
		return nil, err
	}
	return launch.Command(&n.Node, []string{path, agentCommand})
}

// agentCommand is the subcommand that becomes a node's agent.
const agentCommand = "node"

// install sees that the binary is on the node, once.
func (m *machines) install(ctx context.Context, n *Node) (string, error) {
	m.mu.Lock()
	path, ok := m.installed[n.Name]
	m.mu.Unlock()
	if ok {
		return path, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, m.patience.install,
		fmt.Errorf("node %s: the binary was not there after %v", n.Name, m.patience.install))
	defer cancel()
	path, err := launch.Install(ctx, &n.Node, launch.Binaries{Dir: m.bed.Binaries})
	if err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.installed[n.Name] = path
	return path, nil
}

// strength gives an emulated machine the CPU time of as many of its cores as there are threads on it.
func (m *machines) strength(n *Node, threads int) (quotaCPUs float64, err error) {
	if !n.made() || n.Profile == emulate.NoProfile {
		return 0, nil
	}
	return m.lab.SetCores(n.Name, threads)
}

// notes say what of the emulated machines' profiles is not so, each once.
func (m *machines) notes() []string {
	var notes []string
	of := map[string][]string{}
	for i := range m.bed.Nodes {
		n := &m.bed.Nodes[i]
		facts := m.madeOf(n)
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

// madeOf is what was made for an emulated machine; nil for others.
func (m *machines) madeOf(n *Node) *emulate.MachineFacts {
	if !n.made() {
		return nil
	}
	facts := m.lab.Facts()
	i := slices.IndexFunc(facts.Machines, func(f emulate.MachineFacts) bool { return f.Name == n.Name })
	if i < 0 {
		return nil
	}
	return &facts.Machines[i]
}

// agent starts a node's agent and hears its hello.
func (m *machines) agent(ctx context.Context, n *Node) (*process, *hello, error) {
	argv, err := m.argv(ctx, n)
	if err != nil {
		return nil, nil, err
	}
	patience := m.patience
	if !n.here() {
		patience.stop = max(patience.stop, patience.loss)
	}
	p, err := startProcess(n.Name, argv, patience)
	if err != nil {
		return nil, nil, err
	}
	if !n.here() {
		p.explain = func(said string, err error) error { return launch.Explain(&n.Node, said, err) }
	}
	h, err := expect[*hello](ctx, p, m.patience.hello, "say hello")
	if err != nil {
		p.close()
		return nil, nil, err
	}
	h.heard = time.Now()
	p.endings = m.endings(n, h)
	return p, h, nil
}
