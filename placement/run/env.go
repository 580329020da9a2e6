package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"dpukv/internal/doctor"
	"dpukv/internal/foreign"
	"dpukv/internal/machine"
	"dpukv/placement/emulate"
	"dpukv/placement/machines"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results/runfolder"
)

// nodeEnv is a node's line in env.jsonl.
type nodeEnv struct {
	Node       string `json:"node"`
	Kind       string `json:"kind"`
	Of         string `json:"of,omitempty"`
	Generation string `json:"generation,omitempty"`
	Via        string `json:"via"`
	Address    string `json:"address,omitempty"`
	Profile    string `json:"profile,omitempty"`
	Version    string `json:"version"` // of the dpukv there
	Build      string `json:"build"`
	// Beside tells that this dpukv is the other one of a sweep of two builds. Both have a line.
	Beside bool `json:"beside,omitempty"`
	// Error is why the node could not be asked. Its line then has what the testbed says of it.
	Error string `json:"error,omitempty"`
	machine.Facts
	Emulated *emulate.MachineFacts `json:"emulated,omitempty"` // what was made of the profile
	// of which it is a part, less its machines
	Lab      *emulate.Facts   `json:"lab,omitempty"`
	Findings []doctor.Finding `json:"findings,omitempty"` // what will spoil a measurement there
}

// envOf returns a node's own report, together with the facts of its emulated machine.
func envOf(on *machines.Machines, n *testbed.Node, h *node.Hello) nodeEnv {
	env := nodeEnv{
		Node: n.Name, Kind: n.Kind, Of: n.Of, Generation: n.Generation, Via: n.Via,
		Address: n.Address, Profile: n.Profile,
		Version: h.Version, Build: h.Build, Facts: h.Machine, Findings: h.Findings,
	}
	if env.Emulated = on.EmulatedFacts(n); env.Emulated != nil {
		lab := on.Lab.Facts()
		lab.Machines = nil // the others have lines of their own
		env.Lab = &lab
	}
	return env
}

// envOfSilent returns the line of a node that could not be asked.
func envOfSilent(on *machines.Machines, n *testbed.Node, err error) nodeEnv {
	hello := node.Hello{Machine: machine.Facts{ReadAt: time.Now().UTC()}}
	env := envOf(on, n, &hello)
	env.Error = foreign.Reason(err.Error())
	return env
}

// envKey is what has one line: a node, with each of two builds.
type envKey struct {
	node   string
	beside bool
}

func (e *nodeEnv) key() envKey { return envKey{e.Node, e.Beside} }

// nodeEnvs collects the nodes' lines until they are written to env.jsonl, each once.
type nodeEnvs struct {
	mu    sync.Mutex
	heard map[envKey]nodeEnv // since the last point
	wrote map[envKey]nodeEnv
}

// note keeps a node's line. Its own report replaces the reason why it could not be asked.
func (e *nodeEnvs) note(env nodeEnv) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.heard == nil {
		e.heard, e.wrote = map[envKey]nodeEnv{}, map[envKey]nodeEnv{}
	}
	if _, there := e.heard[env.key()]; env.Error == "" || !there {
		e.heard[env.key()] = env
	}
}

// missing reports whether a node has no line yet.
func (e *nodeEnvs) missing(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, key := range []envKey{{name, false}, {name, true}} {
		_, heard := e.heard[key]
		_, wrote := e.wrote[key]
		if heard || wrote {
			return false
		}
	}
	return true
}

func (k envKey) compare(o envKey) int {
	switch {
	case k.node != o.node:
		return strings.Compare(k.node, o.node)
	case k.beside == o.beside:
		return 0
	case o.beside:
		return -1
	}
	return 1
}

// write adds the missing lines to the run folder.
func (e *nodeEnvs) write(out *runfolder.Writer) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, key := range slices.SortedFunc(maps.Keys(e.heard), envKey.compare) {
		env := e.heard[key]
		before, there := e.wrote[key]
		if there && (env.Error != "" || before.Error == "") {
			continue
		}
		if err := out.AppendEnv(env); err != nil {
			return err
		}
		e.wrote[key] = env
	}
	clear(e.heard)
	return nil
}

// askLimit bounds the time that the question to a node may take. It has room for a copy of the
// binary.
const askLimit = time.Minute

// askOthers asks the nodes that run no process of a point: the DPUs on a path. A node that does not
// answer does not end the sweep. Its line has the reason.
func (r *runner) askOthers(ctx context.Context, due []sweep.Point) error {
	used := map[string]bool{}
	for i := range due {
		for _, n := range r.nodesOf(&due[i]) {
			used[n.Name] = true
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, askLimit,
		fmt.Errorf("it did not answer within %v", askLimit))
	defer cancel()
	var all sync.WaitGroup
	for i := range r.machines.Bed.Nodes {
		if n := &r.machines.Bed.Nodes[i]; !used[n.Name] {
			all.Go(func() { r.ask(ctx, n) })
		}
	}
	all.Wait()
	return r.writeEnvs()
}

// ask asks one node about itself.
func (r *runner) ask(ctx context.Context, n *testbed.Node) {
	agent, _, err := r.begin(ctx, n)
	if err == nil {
		err = agent.Close()
	}
	if err == nil {
		return
	}
	if r.envs.missing(n.Name) {
		r.envs.note(envOfSilent(r.machines, n, err))
	}
	fmt.Fprintf(r.o.Stderr, "node %s, which runs no process of a point: %s\n", n.Name,
		foreign.Reason(err.Error()))
}

// noteSilent gives a line to every node that still has none.
func (r *runner) noteSilent() error {
	for i := range r.machines.Bed.Nodes {
		if n := &r.machines.Bed.Nodes[i]; r.envs.missing(n.Name) {
			err := errors.New("none of its processes was started")
			r.envs.note(envOfSilent(r.machines, n, err))
		}
	}
	return r.writeEnvs()
}

func (r *runner) writeEnvs() error {
	if err := r.envs.write(r.out); err != nil {
		return r.full(err)
	}
	return nil
}

// checkFolder warns about a run that is continued: repaired lines, and points that another build
// measured. It refuses points of another kind of machine.
func checkFolder(r *runner) error {
	for _, did := range r.out.Repairs() {
		fmt.Fprintf(r.o.Stderr, "%s: %s\n", r.o.Dir, did)
	}
	lines, _, err := r.out.Env()
	if err != nil {
		return err
	}
	told := map[string]bool{r.o.build: true}
	if r.plan.beside != nil {
		told[r.plan.beside.Digest] = true
	}
	for _, line := range lines {
		var env nodeEnv
		if json.Unmarshal(line, &env) != nil || env.Node == "" || env.Error != "" {
			continue // what is no node's report says nothing of a build
		}
		if err := refuseOtherKernel(r.o.Dir, &env); err != nil {
			return err
		}
		if told[env.Build] {
			continue
		}
		told[env.Build] = true
		fmt.Fprintf(r.o.Stderr,
			"%s: it has points of another build of dpukv (%s, %s) than this one (%s, %s)\n",
			r.o.Dir, env.Version, env.Build, r.o.Version, r.o.build)
	}
	return nil
}
