package run

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"dpukv/placement/machines"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results/compare"
)

// program is a build of dpukv whose processes measure.
type program struct {
	node.Build
	start  *machines.Program // nil: this binary
	beside bool              // it is the one of --beside
}

// programOf returns the program of a point's processes: all of them run the same.
func (p *Plan) programOf(pt *sweep.Point) *program {
	if p.beside != nil && pt.Build == p.beside.Label() {
		return p.beside
	}
	return &p.this
}

// findThis describes this binary.
func (p *Plan) findThis() (err error) {
	if p.Options.build == "" {
		p.Options.build, err = node.BuildID()
	}
	p.this.Build = node.ThisBuild(p.Options.Version, p.Options.build)
	return err
}

// findBeside describes the binary of --beside.
func (p *Plan) findBeside() (err error) {
	if p.Options.Beside == "" {
		return nil
	}
	if err := p.findThis(); err != nil {
		return err
	}
	if p.beside, err = p.askBeside(); err != nil {
		return fmt.Errorf("--beside %s: %w", p.Options.Beside, err)
	}
	return nil
}

// askBeside asks the other binary for its build.
func (p *Plan) askBeside() (*program, error) {
	file, err := filepath.Abs(p.Options.Beside)
	if err != nil {
		return nil, err
	}
	command := p.Options.beside
	if command == nil {
		if err := checkBinary(file); err != nil {
			return nil, err
		}
		command = []string{file, node.Subcommand}
	}
	h, err := p.hello(command)
	if err != nil {
		return nil, fmt.Errorf("asked for its build, it gave no answer; allowed: a dpukv that "+
			"runs on this machine: %w", err)
	}
	b := program{h.Of(), &machines.Program{Command: command, Binary: file}, true}
	switch {
	case h.Protocol != node.ProtocolVersion:
		return nil, fmt.Errorf("its nodes (%s) speak protocol %d, those of this dpukv (%s) speak "+
			"%d: build one that speaks %d",
			h.Version, h.Protocol, p.this.Version, node.ProtocolVersion, node.ProtocolVersion)
	case b.Digest == p.this.Digest:
		return nil, fmt.Errorf("found the build that sweeps itself (%s), allowed: another one, as "+
			"there is nothing to compare", b.Label())
	}
	return &b, nil
}

// hello starts a command on this machine that becomes an agent, and returns what it says first.
func (p *Plan) hello(command []string) (*node.Hello, error) {
	agent, err := node.StartProcess("on this machine", command, p.Options.timeouts)
	if err != nil {
		return nil, err
	}
	h, err := node.Expect[*node.Hello](p.Options.Context, agent, p.Options.timeouts.Hello,
		"say hello")
	return h, errors.Join(err, agent.Close())
}

// checkBinary refuses a file that is no dpukv, without starting it.
func checkBinary(file string) error {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("found no such file, allowed: the path of another dpukv binary")
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("found no regular file, allowed: the path of another dpukv binary")
	case info.Mode()&0o111 == 0:
		return errors.New("found a file that is not executable: chmod +x makes it so")
	}
	found, err := buildinfo.ReadFile(file)
	own, ok := debug.ReadBuildInfo()
	if err != nil || ok && found.Main.Path != own.Main.Path {
		return errors.New("found a file that is no dpukv, allowed: another dpukv binary")
	}
	return nil
}

// checkBeside refuses a sweep of two builds without the other one, and what two builds cannot
// measure.
func (p *Plan) checkBeside() error {
	base, other := p.sweep.Compared()
	if p.beside == nil && base != "" {
		return fmt.Errorf("build: found two builds, %s and %s, without --beside: add --beside and "+
			"the path of %s", base, other, base)
	}
	if err := sweep.CheckBuilds(&p.sweep); err != nil || p.beside == nil {
		return err
	}
	for i := range p.testbed.Nodes {
		if n := &p.testbed.Nodes[i]; n.Binary != "" {
			return fmt.Errorf("--beside: %sfound node %s with a binary of its own, allowed: "+
				"without, as it gets both builds from here", p.testbed.Place(n.Name), n.Name)
		}
	}
	return nil
}

// besideValue is the value of the sweep's key build; "": there is one build.
func (p *Plan) besideValue() string {
	if p.beside == nil {
		return ""
	}
	return p.beside.Label() + ", " + p.this.Label()
}

func (p *Plan) compareBuilds(string) error {
	p.sweep.Compare(p.beside.Label(), p.this.Label())
	return nil
}

// mistakable refuses a node of another architecture whose binaries cannot be told apart.
func (p *Plan) mistakable(n *testbed.Node, h *node.Hello, by *program) error {
	if p.beside == nil || h.Build == by.Digest || !p.this.Alike(&p.beside.Build) {
		return nil
	}
	return fmt.Errorf("node %s: found the binary %s of another architecture, and both builds are "+
		"%s: from it alone, nothing tells which of the two it is; commit the change, and build "+
		"both anew for each architecture", n.Name, h.Build, by.Version)
}

// describeBeside writes that there are two builds.
func describeBeside(p *Plan, w io.Writer) {
	if p.beside == nil {
		return
	}
	fmt.Fprintf(w, "every point is measured with two builds, one right after the other: %s (%s) "+
		"is the base, and %s is this one: twice the points, and twice the time\n\n",
		p.beside.Label(), p.Options.Beside, p.this.Label())
}

// sayRounds says so if the rounds are too few for a verdict about each setting.
func sayRounds(p *Plan, w io.Writer) {
	settings := map[sweep.Config]bool{}
	for i := range p.points {
		c := p.sweep.ConfigOf(&p.points[i])
		c.Build = ""
		settings[c] = true
	}
	each, all, figures := compare.RoundsOf(len(settings))
	if n := p.sweep.Repeats; n < each {
		fmt.Fprintf(w, "dpukv compare tests %d figures: found repeats: %d, needed: %d for all "+
			"settings together, and %d for each alone; fewer --metrics need fewer\n", figures, n,
			all, each)
	}
}
