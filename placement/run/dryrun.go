package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dpukv/kvs/stores"
	"dpukv/placement/estimate"
	"dpukv/placement/launch"
	"dpukv/placement/neighbour"
	"dpukv/placement/node"
	"dpukv/placement/plan"
	"dpukv/placement/process"
	"dpukv/placement/submode"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
	"dpukv/results/compare"
	"dpukv/results/runfolder"
)

// DryRun writes what [Plan.Run] would do: the commands of the nodes' agents, all points in their
// order with the place of each process, and the estimated time. It visits no node, but
// counts the keys of an attached server.
func DryRun(w io.Writer, p *Plan) error {
	missing, err := missingInDir(p)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "testbed %s, run folder %s\n", p.testbed.Name, p.Options.Dir)
	if made := p.testbed.EmulatedText(); made != "" {
		fmt.Fprintf(&b, "first it makes %s\n", made)
	}
	fmt.Fprintln(&b)
	describeBeside(p, &b)
	for _, placement := range p.placements() {
		if err := errors.Join(describePlacement(p, &b, placement),
			describeEnds(p, &b, placement, missing)); err != nil {
			return err
		}
	}
	if err := describeSubmodes(p, &b); err != nil {
		return err
	}
	describeProbes(p, &b)
	if p.sweep.Attach != "" {
		describeOwn(p, &b)
	}
	describeOrder(&b, missing)
	if done := len(p.points) - len(missing); done > 0 {
		fmt.Fprintf(&b, "\n%d of %s points are there already", done, p.size())
	}
	describeSize(p, &b, missing)
	_, err = io.WriteString(w, b.String())
	return err
}

// describeSize writes the number of points and their time. Points that are not known yet count,
// too.
func describeSize(p *Plan, w io.Writer, missing []sweep.Point) {
	all := toCome(p, missing)
	expected := estimate.New(all, &p.testbed)
	about := (estimate.Fixed(&p.testbed) + expected.Left()).Round(time.Second)
	fmt.Fprintln(w)
	if p.rates != nil {
		var shares []string
		for _, share := range p.sweep.RateShares() {
			shares = append(shares, fmt.Sprintf("%g%%", 100*share))
		}
		fmt.Fprintf(w, "the rates are shares of the peaks: %s\n", strings.Join(shares, ", "))
	}
	defer fmt.Fprintf(w, "of that, %v are load; the rest is for starting processes and storing "+
		"keys on a quiet machine, and the first points correct it\n",
		expected.Load().Round(time.Second))
	switch {
	case p.Searches():
		fmt.Fprintf(w, "then a search for the highest rate with %s; at its end, the peak and both "+
			"ends of the answer again, %d times each\n", p.rates.bound, p.rates.search(0).Again())
	case p.rounds != nil:
		fmt.Fprintf(w, "%d repeats, and up to %d of each configuration whose median throughput "+
			"or p99 latency is not known to ±%g %%\n",
			p.sweep.Repeats, p.sweep.MostRepeats(), p.sweep.RepeatsUntil)
	default:
		fmt.Fprintf(w, "%d points in about %v\n", len(all), about)
		sayVerdict(p, w)
		return
	}
	fmt.Fprintf(w, "at most %d points in at most about %v\n", len(all), about)
}

// sayVerdict says so if the repeats are too few to tell two lines apart, unless one has twice the
// throughput of the other.
func sayVerdict(p *Plan, w io.Writer) {
	if p.beside != nil {
		sayRounds(p, w)
		return
	}
	least := compare.RepeatsFor(1 - results.Confidence)
	if n := p.sweep.Repeats; n < least {
		fmt.Fprintf(w, "no verdict possible, but for lines that are far apart: found repeats: %d, "+
			"needed: %d, and %d for an interval; to do: --set repeats=%d\n", n, least,
			results.DefaultRepeats, results.DefaultRepeats)
	}
}

// missingInDir returns the points that the run folder lacks. It only reads the folder.
func missingInDir(p *Plan) ([]sweep.Point, error) {
	if !p.resumes {
		return p.due(func(string) bool { return false }), nil
	}
	run, err := runfolder.Open(p.Options.Dir)
	if err != nil {
		return nil, err
	}
	points, _, err := run.All()
	return p.due(func(id string) bool {
		return p.judged(id) || slices.ContainsFunc(points, func(have results.Point) bool {
			return have.ID == id && have.Status == results.StatusOK
		})
	}), err
}

// describePlacement writes the commands of a placement. All its points have the same commands: the
// tasks travel over stdin.
func describePlacement(p *Plan, w io.Writer, placement string) error {
	c, err := p.testbed.Assign(placement)
	if err != nil {
		return err
	}
	for i, of := range process.Of(&c) {
		n := of.Node
		argv, err := commandOn(p, n)
		if err != nil {
			return err
		}
		with := carrier(p, &c, i)
		if device := laneOf(&c, n); device != "" {
			with += " (lanes over " + device + ")"
		}
		fmt.Fprintf(w, "%s %s on node %s%s, for each point: %s\n", placement, of.Role, n.Name,
			with, strings.Join(argv, " "))
	}
	for _, n := range p.neighbours(&c) {
		argv, err := commandOn(p, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s neighbour on node %s, for each point with one: %s\n", placement,
			n.Name, strings.Join(argv, " "))
	}
	return nil
}

// neighbours returns the node of the neighbours of a placement, if the sweep has some.
func (p *Plan) neighbours(c *testbed.Assignment) []*testbed.Node {
	some := p.sweep.Value("neighbour") != neighbour.None
	host, err := neighbour.Host(&p.testbed, c)
	if !some || err != nil {
		return nil
	}
	return []*testbed.Node{host}
}

// describeEnds writes where the processes of a placement's points would run, each way once.
func describeEnds(p *Plan, w io.Writer, placement string, missing []sweep.Point) error {
	var ways []string
	threads := map[string][]string{}
	for i := range missing {
		pt := &missing[i]
		if pt.Placement != placement || pt.IsProbe() {
			continue
		}
		of, err := plan.Of(pt, &p.testbed)
		if err != nil {
			return err
		}
		ends := of.Places(p.cores)
		if !slices.Contains(ways, ends) {
			ways = append(ways, ends)
		}
		count := fmt.Sprintf("%d+%d", pt.ServerThreads, pt.ClientThreads)
		if !slices.Contains(threads[ends], count) {
			threads[ends] = append(threads[ends], count)
		}
	}
	for _, ends := range ways {
		with := ""
		if len(ways) > 1 {
			slices.Sort(threads[ends])
			with = " with " + strings.Join(threads[ends], ", ") + " threads (server+client)"
		}
		fmt.Fprintf(w, "%s%s: %s\n", placement, with, ends)
	}
	fmt.Fprintln(w)
	return nil
}

// describeOrder writes the points in the order of measurement.
func describeOrder(w io.Writer, missing []sweep.Point) {
	for i := range missing {
		if i == 0 || missing[i].Repeat != missing[i-1].Repeat {
			fmt.Fprintf(w, "repeat %d, in the order of measurement, which the seed shuffles:\n",
				missing[i].Repeat)
		}
		fmt.Fprintf(w, "[%d/%d] %s\n", i+1, len(missing), missing[i].ID)
	}
}

// laneOf names the device of a node's lanes; "": it has none.
func laneOf(c *testbed.Assignment, n *testbed.Node) string {
	device, err := c.LaneDeviceOf(n)
	if err != nil {
		return "no device: " + err.Error()
	}
	return device
}

// carrier names the transport of the stores that need a device, for all submodes.
func carrier(p *Plan, c *testbed.Assignment, node int) string {
	var devices []string
	for _, name := range p.sweep.Values("submode") {
		in := c.For(name)
		device, err := in.Device(in.All()[node])
		if err == nil && !slices.Contains(devices, device) {
			devices = append(devices, device)
		}
	}
	for _, store := range p.sweep.Values("store") {
		if devices != nil && stores.OverVerbs(store) {
			return fmt.Sprintf(" (%s over %s)", store, strings.Join(devices, " or "))
		}
	}
	return ""
}

// commandOn returns the command for a node, as far as it is known before a visit.
func commandOn(p *Plan, n *testbed.Node) ([]string, error) {
	switch {
	case n.Emulated():
		return append([]string{"(inside " + n.Name + ")"}, p.Options.command...), nil
	case n.OnThisMachine():
		return launch.Command(&n.Node, p.Options.command)
	}
	path := cmp.Or(n.Binary, "COPY-OF-THIS-BINARY")
	return launch.Command(&n.Node, []string{path, node.Subcommand})
}

func describeSubmode(p *Plan, w io.Writer, dpu *testbed.Node, name string, f packetfilter.Filter) {
	forwards := cmp.Or(dpu.Datapath.Chosen[name],
		strings.Join(submode.ByDefault(dpu.Target(), name, f), ", else "))
	does, options := "", ""
	if !f.None() {
		does = " with filter " + f.String()
	}
	for _, word := range f.Words() {
		options += " --filter " + word
	}
	fmt.Fprintf(w, "%s on node %s%s: %s; its commands: dpukv testbed submode plan %s "+
		"--node %s --testbed %s%s\n", name, dpu.Name, does, forwards,
		strings.TrimPrefix(name, "sm"), dpu.Name, p.testbed.Name, options)
}

// describeSubmodes lists the submodes to set up on each DPU, and says where their commands are
// shown.
func describeSubmodes(p *Plan, w io.Writer) error {
	told := map[string]bool{}
	for _, placement := range p.sweep.Values("placement") {
		c, err := p.testbed.Assign(placement)
		if err != nil {
			return err
		}
		dpu := p.testbed.DPUOf(c.Server.Name)
		for _, name := range p.sweep.Values("submode") {
			if !submode.OnPath(name) || told[name+dpu.Name] {
				continue
			}
			told[name+dpu.Name] = true
			for _, f := range p.sweep.Values("filter") {
				describeSubmode(p, w, dpu, name, sweep.WorkOnPath(f))
			}
		}
	}
	if len(told) > 0 {
		fmt.Fprintln(w)
	}
	return nil
}
