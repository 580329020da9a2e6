package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/internal/doctor"
	"dpukv/internal/machine"
)

func newDoctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find what on this machine spoils a measurement, and what mends it",
		Long: `Look for what spoils a measurement on this machine: the processor's clock and its governor, shared
cores, limits, huge pages, buffers, the NIC, a firewall, other load. For each fault it prints the
command that mends it. It changes nothing itself.

Checks that this user can't make are unknown; root sees more. The env.jsonl of every run folder has
the same verdicts. The exit status is always 0.`,
		Example: `  dpukv doctor
  dpukv doctor --json`,
		Args: exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			facts := machine.Read()
			findings := doctor.Examine(&facts)
			return show(cmd, asJSON, findings, func(w io.Writer) error {
				return printFindings(w, findings)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"print one JSON array of all checks: check, verdict (ok, spoils, unknown), found, effect, "+
			"mend")
	return cmd
}

func printFindings(w io.Writer, findings []doctor.Finding) error {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%-8s %-10s %s\n", f.Verdict, f.Check, f.Found)
		if f.Effect != "" {
			fmt.Fprintf(&b, "%20s%s\n", "", f.Effect)
		}
		for _, command := range f.Mend {
			fmt.Fprintf(&b, "%20s$ %s\n", "", command)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
