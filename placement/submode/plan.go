package submode

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Plan prints what Apply would run, Verify and Undo, for a person to read first. Where the node decides between datapaths, all
// are shown in their order.
func (s *Submode) Plan(w io.Writer) error {
	list := []*datapath{s.datapath}
	if s.datapath == nil {
		list = nil
		for _, d := range candidates(s.cfg.Target, s.cfg.Submode) {
			if !d.onlyAsked && d.refuses(&s.cfg.Filter) == nil {
				list = append(list, d)
			}
		}
	}
	var b strings.Builder
	if len(list) > 1 {
		fmt.Fprintf(&b, "# %s on %s: the first of these datapaths that the node has\n\n", s.cfg.Submode, s.cfg.Target)
	}
	for _, d := range list {
		dir := folderOf(planMark)
		if s.cfg.Target == BlueField {
			dir = root(s.cfg.Target) + "/card"
		}
		newSite(&s.cfg, d, dir).plan(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// planMark stands in a plan for the mark of a namespace.
const planMark = "MARK"

func (s *site) plan(b *strings.Builder) {
	fmt.Fprintf(b, "# %s on %s, datapath %s: %s\n", s.cfg.Submode, s.cfg.Target, s.datapath.name, s.datapath.is)
	if s.datapath.substitute != "" {
		fmt.Fprintf(b, "# a substitute %s\n", s.datapath.substitute)
	}
	if f := s.cfg.Filter.String(); f != "" {
		fmt.Fprintf(b, "# filter: %s\n", f)
	}
	section(b, "check", append(s.has(), s.checks()...))
	apply := s.steps()
	var marks []Step
	if s.cfg.Target == Linux && OnPath(s.cfg.Submode) {
		marks = markSteps(planMark, s.ports()...)
	}
	section(b, "apply", slices.Concat(marks, apply))
	section(b, "verify", s.verifies())
	var undo []Step
	for i := len(apply) - 1; i >= 0; i-- {
		if apply[i].Undo != nil {
			says := "take back: " + apply[i].Says
			if apply[i].Found != nil {
				says += "; only if it is as it was set"
			}
			undo = append(undo, Step{Says: says, Run: apply[i].Undo})
		}
	}
	for i := range marks {
		run := slices.Clone(marks[i].Run)
		run[3] = "del"
		undo = append(undo, Step{Says: "take back: " + marks[i].Says, Run: run})
	}
	section(b, "undo", undo)
	b.WriteByte('\n')
}

func section(b *strings.Builder, title string, list []Step) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n", title)
	for i := range list {
		step := &list[i]
		if step.Run == nil {
			continue
		}
		fmt.Fprintf(b, "\n# %s\n", step.Says)
		if step.Found != nil {
			fmt.Fprintf(b, "%s=$(%s)\n", AsFound, quoted(step.Found))
		}
		fmt.Fprintln(b, quoted(step.Run))
		if title == "check" && step.Else != "" {
			fmt.Fprintf(b, "# if not: %s\n", step.Else)
		}
	}
}
