package submode

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dpukv/placement/submode/journal"
	"dpukv/placement/submode/step"
)

// planMark stands for the mark of a namespace in a plan.
const planMark = "MARK"

// writePlan prints the commands of each setup of a submode. The node decides between several
// setups.
func writePlan(w io.Writer, setups []*setup) error {
	var b strings.Builder
	if len(setups) > 1 {
		writeChoice(&b, setups)
	}
	for _, s := range setups {
		planOne(&b, s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeChoice says which of several datapaths is used. A plan visits no node, so it names the rule.
func writeChoice(b *strings.Builder, setups []*setup) {
	first := setups[0]
	fmt.Fprintf(b, "# %s on %s has %d datapaths here. apply uses the first whose checks succeed "+
		"on the node:\n", first.Submode, first.Target, len(setups))
	for i, s := range setups {
		fmt.Fprintf(b, "#   %d. %s: %s\n", i+1, s.datapath.name, s.datapath.title)
	}
	fmt.Fprintf(b, "# --datapath %s asks for one. apply and verify name the one in use.\n\n",
		first.datapath.name)
}

func planOne(b *strings.Builder, s *setup) {
	fmt.Fprintf(b, "# %s on %s, datapath %s: %s\n",
		s.Submode, s.Target, s.datapath.name, s.datapath.title)
	if s.datapath.substitute != "" {
		fmt.Fprintf(b, "# a substitute %s\n", s.datapath.substitute)
	}
	if f := s.Filter.String(); f != "" {
		fmt.Fprintf(b, "# filter: %s\n", f)
	}
	section(b, "check", append(s.datapath.Check(s), s.portSteps(checkPorts)...), true)
	var marks []step.Step
	if s.forwards() {
		marks = journal.MarkSteps(planMark, s.ports()...)
	}
	apply := s.steps()
	section(b, "apply", slices.Concat(marks, apply), false)
	section(b, "verify", s.datapath.Verify(s), false)
	section(b, "undo", undoSteps(marks, apply), false)
	b.WriteByte('\n')
}

// undoSteps undo the applied steps, the last first, and then the marks.
func undoSteps(marks, apply []step.Step) (undo []step.Step) {
	takeBack := func(s *step.Step, condition string) {
		if s.Undo != nil {
			purpose := "take back: " + s.Purpose + condition
			undo = append(undo, step.Step{Purpose: purpose, Run: s.Undo})
		}
	}
	for i := range slices.Backward(apply) {
		condition := ""
		switch {
		case apply[i].Restore:
			condition = ", as it was found"
		case apply[i].State != nil:
			condition = "; only if it is as it was set"
		}
		takeBack(&apply[i], condition)
	}
	for i := range marks {
		takeBack(&marks[i], "")
	}
	return undo
}

// section prints the steps with a command, with or without advice.
func section(b *strings.Builder, title string, list []step.Step, advise bool) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n", title)
	for i := range list {
		s := &list[i]
		if s.Run == nil {
			continue
		}
		fmt.Fprintf(b, "\n# %s\n", s.Purpose)
		if s.State != nil {
			fmt.Fprintf(b, "%s=$(%s)\n", step.AsFound, step.Quote(s.State))
		}
		fmt.Fprintln(b, step.Quote(s.Run))
		if advise && s.Advice != "" {
			fmt.Fprintf(b, "# if not: %s\n", s.Advice)
		}
	}
}
