package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"dpukv/hashbench"
	"dpukv/hashbench/measure"
	"dpukv/hashbench/report"
	"dpukv/hashbench/result"
	"dpukv/internal/folder"
	"dpukv/placement/launch"
	"dpukv/placement/testbed"
)

// hashTestbed measures on every machine of a testbed, one after the other, and compares them.
type hashTestbed struct {
	*hashFlags
	cmd  *cobra.Command
	bed  testbed.Testbed
	list []hashbench.Func
	cfg  measure.Config
}

func (f *hashTestbed) run() (err error) {
	cmd := f.cmd
	if f.bed, err = testbed.Load(cmd.Context(), f.testbed); err != nil {
		return usagef("hash: --testbed: %w", err)
	}
	nodes, err := f.machines()
	if err != nil {
		return usagef("hash: --testbed: %w", err)
	}
	var out *folder.Folder
	if f.out != "" {
		if out, err = folder.Create(f.out); err != nil {
			return fmt.Errorf("hash: --out: %w", err)
		}
	}
	var machines []report.Machine
	for _, n := range nodes {
		fmt.Fprintf(cmd.ErrOrStderr(), "node %s:\n", n.Name)
		r, err := f.onNode(n)
		if err == nil && out != nil {
			err = out.Write(n.Name+".json", writeHashReport(r))
		}
		if err != nil {
			return fmt.Errorf("hash: %w", err)
		}
		machines = append(machines, report.Machine{Name: n.Name, Report: r})
	}
	return f.show(machines)
}

func (f *hashTestbed) show(machines []report.Machine) (err error) {
	cmd := f.cmd
	if len(machines) == 1 {
		err = report.WriteTable(cmd.OutOrStdout(), machines[0].Report)
	} else {
		err = report.Compare(cmd.OutOrStdout(), machines)
	}
	if err == nil && f.figures != "" {
		err = f.draw(cmd.ErrOrStderr(), machines)
	}
	return err
}

// machines are the nodes to measure. Of the nodes on this machine it takes one. It takes no
// emulated node: the figures would be this machine's under another name.
func (f *hashTestbed) machines() ([]*testbed.Node, error) {
	var nodes []*testbed.Node
	var here string
	say := f.cmd.ErrOrStderr()
	for i := range f.bed.Nodes {
		n := &f.bed.Nodes[i]
		switch {
		case n.Emulated():
			fmt.Fprintf(say, "node %s is left out: it is emulated, and its cores are this "+
				"machine's\n", n.Name)
			continue
		case n.OnThisMachine() && here != "":
			fmt.Fprintf(say, "node %s is left out: it is this machine, as node %s is\n", n.Name,
				here)
			continue
		case n.OnThisMachine():
			here = n.Name
		}
		if err := launch.Check(&n.Node); err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("found only emulated nodes in %s, allowed: real machines, as a "+
			"core is not emulated", f.bed.Name)
	}
	return nodes, nil
}

// onNode measures on one node: in this process if it is this machine, else with this binary there.
func (f *hashTestbed) onNode(n *testbed.Node) (*result.Report, error) {
	cmd, cfg := f.cmd, f.cfg
	if n.OnThisMachine() {
		if f.cpu == "" && len(n.CPUs) > 0 {
			cfg.CPU = n.CPUs[len(n.CPUs)-1]
		}
		return f.measure(cmd, f.list, cfg)
	}
	path, err := launch.Install(cmd.Context(), &n.Node, launch.Binaries{Dir: f.bed.Binaries})
	if err != nil {
		return nil, err
	}
	out, err := launch.Attached(cmd.Context(), &n.Node,
		append([]string{path}, f.remoteArgs(n)...), cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	r, err := result.Parse(out)
	if err != nil {
		return nil, fmt.Errorf("node %s: its report: %w", n.Name, err)
	}
	if r.Version != version {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("measured by dpukv %s, the others by %s", r.Version, version))
	}
	return r, nil
}

// remoteArgs are the arguments of a run on another machine: the flags that the user set here.
func (f *hashTestbed) remoteArgs(n *testbed.Node) []string {
	args := []string{"hash", "--json", "--end-with-stdin"}
	for _, name := range []string{
		"quick", "functions", "lengths", "modes", "align", "rounds",
		"duration", "seed", "cpu", "smhasher-compat",
	} {
		if flag := f.cmd.Flags().Lookup(name); flag.Changed {
			args = append(args, "--"+name+"="+flag.Value.String())
		}
	}
	if f.cpu == "" && len(n.CPUs) > 0 {
		args = append(args, "--cpu="+strconv.Itoa(n.CPUs[len(n.CPUs)-1]))
	}
	return args
}

// endWithStdin is a context that ends with stdin, and so with the process at the other end of
// stdin.
func endWithStdin(ctx context.Context, stdin io.Reader) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		cancel(errors.New("stdin ended"))
	}()
	return ctx
}

func writeHashReport(r *result.Report) func(io.Writer) error {
	return func(w io.Writer) error { return json.NewEncoder(w).Encode(r) }
}
