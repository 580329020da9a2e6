package testbedcheck

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"dpukv/internal/cpu"
	"dpukv/kvs/stores"
	"dpukv/placement/launch"
	"dpukv/placement/survey"
	"dpukv/placement/testbed"
)

// table is the output of "testbed check".
type table struct {
	bed    *testbed.Testbed
	visits []*visit
}

// row is a line of the first part: one fact of every node.
type row struct {
	head string
	cell func(*visit) string // of a node that can be used
}

var checkRows = []row{
	{"architecture", func(v *visit) string { return v.hello.Machine.Arch }},
	{"kernel", func(v *visit) string { return v.hello.Machine.Kernel }},
	{"CPU", func(v *visit) string { return v.hello.Machine.CPUModel + v.model }},
	{"CPUs to use", func(v *visit) string { return cpu.FormatList(v.hello.Machine.AllowedCPUs) }},
	{"governor", func(v *visit) string { return v.hello.Machine.Governor }},
	{"huge pages", hugePages},
	{"address", func(v *visit) string { return v.node.Address }},
	{"interface", (*visit).link},
	{"link MTU", func(v *visit) string {
		return v.linked(func(i *survey.Interface) string { return fmt.Sprint(i.MTU) })
	}},
	{"free port", (*visit).listens},
	{"RDMA", rdmaCell},
	{"RDMA providers", providersCell},
	{"BlueField", blueFieldCell},
	{"clock", func(v *visit) string { return clockText(v.ahead, v.give) }},
}

// text returns the whole table. Unknown facts are "–".
func (t *table) text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	t.line(w, "node", func(v *visit) string { return v.node.Name })
	t.line(w, "kind", func(v *visit) string { return v.node.Title() })
	t.line(w, "via", func(v *visit) string { return v.node.Via })
	t.line(w, "can be used", func(v *visit) string {
		if v.err != nil {
			return "no, see below"
		}
		return "yes"
	})
	for _, r := range append(slices.Clone(checkRows), t.toolRows()...) {
		t.line(w, r.head, func(v *visit) string {
			if v.err != nil {
				return ""
			}
			return r.cell(v)
		})
	}
	w.Flush()
	fmt.Fprintln(&b)
	var failures launch.Failures
	for _, v := range t.visits {
		failures.Add(v.node.Name, v.err)
	}
	for _, f := range failures {
		fmt.Fprintf(&b, "%s\n\n", f)
	}
	t.placements(&b)
	return b.String()
}

func (t *table) line(w *tabwriter.Writer, head string, cell func(*visit) string) {
	cells := []string{head}
	for _, v := range t.visits {
		cells = append(cells, cmp.Or(cell(v), "–"))
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}

// toolRows returns the rows of the tools that any node has.
func (t *table) toolRows() []row {
	versions := map[string]map[*visit]string{}
	for _, v := range t.visits {
		if v.err != nil {
			continue
		}
		for _, tool := range v.found.Report.Tools {
			if tool.Version != "" {
				if versions[tool.Name] == nil {
					versions[tool.Name] = map[*visit]string{}
				}
				versions[tool.Name][v] = strings.TrimSpace(strings.TrimPrefix(tool.Version,
					tool.Name))
			}
		}
	}
	var rows []row
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		rows = append(rows, row{name, func(v *visit) string { return versions[name][v] }})
	}
	return rows
}

// placements writes the second part: one line for each placement and store that can run, and one
// for each reason why others cannot.
func (t *table) placements(b *strings.Builder) {
	var cannot refusals
	w := tabwriter.NewWriter(b, 0, 8, 2, ' ', 0)
	for _, p := range t.bed.Placements() {
		c, err := t.bed.Assign(p.Name)
		if err != nil {
			fmt.Fprintf(w, "%s\t\tnot here: %v\n", p.Name, err)
			continue
		}
		for _, store := range slices.Sorted(slices.Values(stores.Names())) {
			if why := t.whyWith(&c, store); why != "" {
				cannot.add(p.Name, store, why)
				continue
			}
			fmt.Fprintf(w, "%s\t%s\tcan run: %s%s\n", p.Name, store, roles(&c), t.limits(&c))
		}
	}
	w.Flush()
	cannot.write(b)
}

// verdict returns all problems in one error. A placement that sweeps get only by name is none.
func (t *table) verdict() error {
	var errs []error
	var unusable []string
	for _, v := range t.visits {
		if v.err != nil {
			unusable = append(unusable, v.node.Name)
		}
	}
	if unusable != nil {
		errs = append(errs, fmt.Errorf("%s cannot be used", launch.NodesText(unusable)))
	}
	for _, p := range t.bed.Placements() {
		c, err := t.bed.Assign(p.Name)
		if err == nil && len(errs) == 0 && !testbed.OnlyByName(p.Name) && t.why(&c) != "" {
			errs = append(errs, fmt.Errorf("%s cannot run", p.Name))
		}
	}
	return errors.Join(errs...)
}

func hugePages(v *visit) string {
	var parts []string
	m := &v.hello.Machine
	for _, p := range m.HugePages {
		if p.Total > 0 {
			parts = append(parts,
				fmt.Sprintf("%d of %d × %s free", p.Free, p.Total, pageSize(p.PageBytes)))
		}
	}
	transparent := "transparent: " + m.THP
	if m.THPBytes > 0 {
		transparent += " of " + pageSize(m.THPBytes)
	}
	if m.PageBytes > 0 {
		transparent += "; base pages of " + pageSize(m.PageBytes)
	}
	return strings.Join(append(parts, transparent), ", ")
}

func pageSize(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

func rdmaCell(v *visit) string {
	var parts []string
	for _, d := range v.found.Report.RDMA {
		parts = append(parts,
			strings.Join(append([]string{d.Name, d.State}, gidTexts(d.GIDs)...), " "))
	}
	for _, name := range slices.Sorted(maps.Keys(v.found.Devices)) {
		if v.found.Devices[name] == "" {
			parts = append(parts, name+" opens")
		} else {
			parts = append(parts, name+" does not open")
		}
	}
	return strings.Join(parts, "; ")
}

// providersCell returns which providers work on the node, and in short why the others do not.
func providersCell(v *visit) string {
	var parts []string
	for _, p := range v.found.Providers {
		switch reason, _, _ := strings.Cut(p.Error, ": "); {
		case p.Error != "":
			parts = append(parts, p.Provider+": no ("+reason+")")
		case len(p.Devices) > 0:
			parts = append(parts, p.Provider+": "+strings.Join(p.Devices, ", "))
		default:
			parts = append(parts, p.Provider+": yes")
		}
	}
	return strings.Join(parts, "; ")
}

// gidTexts returns the RoCE v2 GIDs by index, and only the number of the others.
func gidTexts(gids []survey.GID) []string {
	var texts []string
	for _, g := range gids {
		if g.Type == "RoCE v2" {
			texts = append(texts, fmt.Sprintf("GID %d %s", g.Index, g.Net))
		}
	}
	if texts == nil {
		return []string{fmt.Sprintf("%d GIDs", len(gids))}
	}
	return texts
}

func blueFieldCell(v *visit) string {
	b := v.found.Report.BlueField
	switch {
	case b == nil || v.node.Emulated():
		return ""
	case b.Mode == "":
		return b.Generation + ", mode unknown: " + b.Evidence
	}
	return b.Generation + " " + b.Mode + " (" + b.Evidence + ")"
}

// clockText shows no more digits than are known.
func clockText(ahead, give time.Duration) string {
	if ahead.Abs() <= give {
		return "within " + give.Round(10*time.Microsecond).String()
	}
	said := "ahead"
	if ahead < 0 {
		said = "behind"
	}
	return ahead.Abs().Round(give.Round(time.Microsecond)+1).Round(time.Microsecond).String() +
		" " + said
}

func (t *table) visit(node string) *visit {
	return t.visits[slices.IndexFunc(t.visits, func(v *visit) bool { return v.node.Name == node })]
}
