package run

import (
	"encoding/json"
	"fmt"
	"sync"

	"dpukv/internal/doctor"
	"dpukv/internal/machine"
	"dpukv/placement/emulate"
	"dpukv/placement/machines"
	"dpukv/placement/node"
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

// nodeEnvs collects the nodes' lines until they are written to env.jsonl, each node once.
type nodeEnvs struct {
	mu    sync.Mutex
	heard map[string]nodeEnv // since the last point
	wrote map[string]bool
}

func (e *nodeEnvs) note(env nodeEnv) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.heard == nil {
		e.heard, e.wrote = map[string]nodeEnv{}, map[string]bool{}
	}
	e.heard[env.Node] = env
}

// write adds the missing lines to the run folder.
func (e *nodeEnvs) write(out *runfolder.Writer) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, env := range e.heard {
		if e.wrote[name] {
			continue
		}
		if err := out.AppendEnv(env); err != nil {
			return err
		}
		e.wrote[name] = true
	}
	clear(e.heard)
	return nil
}

// checkFolder warns about a run that is continued: repaired lines, and points that another build
// measured. It refuses points of another kind of machine.
func checkFolder(r *runner) error {
	for _, did := range r.out.Repairs() {
		fmt.Fprintf(r.Stderr, "%s: %s\n", r.Dir, did)
	}
	lines, _, err := r.out.Env()
	if err != nil {
		return err
	}
	told := map[string]bool{r.build: true}
	for _, line := range lines {
		var env nodeEnv
		if json.Unmarshal(line, &env) != nil || env.Node == "" {
			continue // what is no node's line says nothing of a build
		}
		if err := refuseOtherKernel(r.Dir, &env); err != nil {
			return err
		}
		if told[env.Build] {
			continue
		}
		told[env.Build] = true
		fmt.Fprintf(r.Stderr,
			"%s: it has points of another build of dpukv (%s, %s) than this one (%s, %s)\n",
			r.Dir, env.Version, env.Build, r.Version, r.build)
	}
	return nil
}
