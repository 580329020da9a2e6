package reference

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Commands is the page of the command tree below root. Hidden commands are left out.
func Commands(root *cobra.Command) string {
	p := newPage("Commands")
	p.paragraph("`dpukv COMMAND --help` prints the same. Exit status: 0 fine, 1 something " +
		"failed, or the machine refuses it, 2 a mistake in what was typed, 3 no verdict. " +
		"Errors go to stderr, and stdout stays machine-readable. `dpukv completion SHELL` " +
		"prints the completions of a shell.")
	describe(p, root)
	p.table([]string{"command", "purpose"}, index(root))
	for _, cmd := range commands(root)[1:] {
		writeCommand(p, cmd)
	}
	return p.text()
}

// commands are root and all commands below it that help shows, in its order.
func commands(root *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{root}
	for _, sub := range root.Commands() {
		if !sub.Hidden && sub.Name() != "help" && sub.Name() != "completion" {
			list = append(list, commands(sub)...)
		}
	}
	return list
}

func index(root *cobra.Command) (rows [][]string) {
	for _, cmd := range commands(root)[1:] {
		link := "[" + cmd.CommandPath() + "](#" + anchor(cmd.CommandPath()) + ")"
		rows = append(rows, []string{link, plain(cmd.Short)})
	}
	return rows
}

func writeCommand(p *page, cmd *cobra.Command) {
	p.heading(2, cmd.CommandPath())
	describe(p, cmd)
	if !cmd.HasAvailableSubCommands() || cmd.HasAvailableLocalFlags() {
		p.code(cmd.UseLine())
	}
	if cmd.Example != "" {
		p.paragraph("Examples:")
		p.code(unindent(cmd.Example))
	}
	var rows [][]string
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !f.Hidden {
			rows = append(rows, flagRow(f))
		}
	})
	if rows != nil {
		p.table([]string{"flag", "meaning", "default"}, rows)
	}
}

// describe writes a command's text: paragraphs in lines of the page's width, and parts with
// indented lines as they are.
func describe(p *page, cmd *cobra.Command) {
	text := cmp.Or(cmd.Long, cmd.Short+".")
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.Contains("\n"+part, "\n ") || strings.Contains(part, "\t") {
			p.code(part)
		} else {
			p.paragraph(plain(part))
		}
	}
}

// unindent removes the indent that all lines have.
func unindent(text string) string {
	text = strings.Trim(text, "\n")
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	return strings.TrimPrefix(strings.ReplaceAll("\n"+text, "\n"+indent, "\n"), "\n")
}

var (
	presetInText = regexp.MustCompile(`\s*\(default:? ((?:[^()]|\([^()]*\))*)\)$`)
	noPreset     = map[string]bool{"": true, "0": true, "false": true, "[]": true, "0s": true}
)

func flagRow(f *pflag.Flag) []string {
	kind, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if kind != "" {
		name += " " + kind
	}
	preset := ""
	m := presetInText.FindStringSubmatch(usage)
	if m != nil && strings.Count(usage, "(default") == 1 {
		preset, usage = plain(m[1]), strings.TrimSuffix(usage, m[0])
	} else if !noPreset[f.DefValue] {
		preset = inline(f.DefValue)
	}
	return []string{inline(name), plain(usage), preset}
}
