package main

import (
	"encoding/json"
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
		Short: "Name what on this machine will spoil a measurement, and what mends it",
		Long: `Look for what on this machine will spoil a measurement: the processor's clock and its governor, cores
that are shared, limits, huge pages, buffers, the NIC, a firewall, other load. Each finding comes with the
command that mends it. Nothing is changed: that is yours to decide.

What cannot be looked at is called unknown. Run as root, it sees more. The same findings stand in
the env.jsonl of every run folder. The exit status is 0, whatever is found.`,
		Example: `  dpukv doctor
  dpukv doctor --json`,
		Args: exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			facts := machine.Read()
			findings := doctor.Examine(&facts)
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(findings)
			}
			return printFindings(cmd.OutOrStdout(), findings)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"one JSON array of all checks: check, verdict (ok, spoils, unknown), found, effect, mend")
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
