package placement

import (
	"encoding/json"
	"fmt"

	"dpukv/internal/doctor"
	"dpukv/internal/machine"
	"dpukv/placement/emulate"
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
	Lab      *emulate.Facts        `json:"lab,omitempty"`      // of which it is a part, less its machines
	Findings []doctor.Finding      `json:"findings,omitempty"` // what will spoil a measurement there
}

// meet notes what a node said of itself.
func (r *runner) meet(n *Node, h *hello) {
	env := nodeEnv{
		Node: n.Name, Kind: n.Kind, Of: n.Of, Generation: n.Generation, Via: n.Via,
		Address: n.Address, Profile: n.Profile,
		Version: h.Version, Build: h.Build, Facts: h.Machine, Findings: h.Findings,
	}
	if env.Emulated = r.machines.madeOf(n); env.Emulated != nil {
		lab := r.machines.lab.Facts()
		lab.Machines = nil // the others have lines of their own
		env.Lab = &lab
	}
	r.meeting.Lock()
	defer r.meeting.Unlock()
	r.met[n.Name] = env
}

// noteFolder tells what is remarkable about a run that is continued: lines that had to be repaired, and
// points that another build measured. Points of another kind of machine are refused.
func (r *runner) noteFolder() error {
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
		if err := r.refuseOtherKernel(&env); err != nil {
			return err
		}
		if told[env.Build] {
			continue
		}
		told[env.Build] = true
		fmt.Fprintf(r.Stderr, "%s: it has points of another build of dpukv (%s, %s) than this one (%s, %s)\n",
			r.Dir, env.Version, env.Build, r.Version, r.build)
	}
	return nil
}
