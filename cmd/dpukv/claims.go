package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/hashbench/result"
	"dpukv/internal/machine"
	"dpukv/results/claims"
)

func newClaimsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "claims RUN|HASH...",
		Short: "Compare the findings of papers with your runs",
		Long: `Print each finding of the study beside what the run folders show: agrees, disagrees, inconclusive, or
not measured. Each line has both numbers, and the warnings about either. Inconclusive means too few
repeats, disturbed points, or repeats on both sides of the limit.

The findings of Lynx (ASPLOS '20) follow: a store on a BlueField-1, and a server beside a noisy
neighbour.

Runs with different DPUs can be given together. A run counts for the generation that its testbed
names, or for the profile that stands for it. Results over emulated parts are marked.

HASH is a file that dpukv hash wrote with --out or --json. Its CPU says which machine it is of: x86 is
the host, 16 Cortex-A72 are a BlueField-1, 8 are a BlueField-2, Cortex-A78 are a BlueField-3.

Exit status: 0 once the findings are printed, also if runs disagree with the study or measured none
of it; 2 for a mistake in the command. Scripts read the verdicts with --json.`,
		Example: `  dpukv run claims runs/on-bf2 runs/on-bf3
  dpukv run claims runs/on-bf2 hash/host.json hash/bf2.json
  dpukv run claims runs/emulated`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("claims: found no arguments, allowed: one or more run folders and " +
					"files of dpukv hash")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			books, err := claims.Load()
			if err != nil {
				return err
			}
			evidence, err := openEvidence(cmd, args)
			if err != nil {
				return err
			}
			outcomes := books.Evaluate(evidence)
			return show(cmd, asJSON, outcomes, func(w io.Writer) error {
				return claims.Write(w, evidence, outcomes)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON list instead of text")
	return cmd
}

// openEvidence reads run folders, and reports of hash functions.
func openEvidence(cmd *cobra.Command, paths []string) (ev claims.Evidence, err error) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			h, err := openHashes(cmd.Context(), path)
			if err != nil {
				return ev, usagef("claims: %w", err)
			}
			ev.Hashes = append(ev.Hashes, h)
			continue
		}
		runs, err := openClaimsRun(cmd, path)
		if err != nil {
			return ev, err
		}
		ev.Runs = append(ev.Runs, runs...)
	}
	return ev, nil
}

func openClaimsRun(cmd *cobra.Command, dir string) ([]claims.Run, error) {
	folder, err := openRun(dir)
	if err != nil {
		return nil, err
	}
	runs, bad, err := claims.OpenRun(folder)
	for _, b := range bad {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", dir, b.Said())
	}
	return runs, err
}

// openHashes reads a report of dpukv hash as evidence for claims.
func openHashes(ctx context.Context, path string) (claims.Hashes, error) {
	report, err := result.Read(ctx, path)
	if err != nil {
		return claims.Hashes{}, err
	}
	h, err := hashesOf(report)
	if err != nil {
		return claims.Hashes{}, fmt.Errorf("%s: %w", path, err)
	}
	h.Name = path
	return h, nil
}

func hashesOf(r *result.Report) (claims.Hashes, error) {
	facts := &r.Machine
	h := claims.Hashes{
		Machine: studyMachine(facts), CPU: fmt.Sprintf("%d x %s", facts.CPUs, r.Core()),
		Warnings: r.Warnings, Substitute: hashSubstitute(facts),
	}
	if h.Machine == "" {
		return h, fmt.Errorf("machine: found %s, allowed: x86, 8 or 16 x Cortex-A72, "+
			"Cortex-A78; measure on a machine of the study's kinds", h.CPU)
	}
	for i := range r.Results {
		x := &r.Results[i]
		if x.Case != result.Fixed(x.Mode, x.MinBytes) {
			continue // random lengths and other alignments are not the study's
		}
		h.Times = append(h.Times, claims.HashTime{
			Function: x.Function, Bytes: x.MinBytes, Dependent: x.Mode == result.Latency,
			Ns: x.Ns.Median, Low: x.Ns.Low, High: x.Ns.High, Rounds: len(x.RoundsNs),
		})
	}
	return h, nil
}

// studyMachine tells from a CPU which of the study's machines has it; empty: none.
func studyMachine(facts *machine.Facts) string {
	model := facts.CPUModel
	switch {
	case facts.Arch == "x86_64":
		return claims.Host
	case strings.HasPrefix(model, "Cortex-A78"):
		return "bf3"
	case model == "Cortex-A72" && facts.CPUs == 8:
		return "bf2"
	case model == "Cortex-A72" && facts.CPUs == 16:
		return "bf1"
	}
	return ""
}

// hashSubstitute says why a machine is none of the study's, although it has such a CPU.
func hashSubstitute(facts *machine.Facts) string {
	product := strings.ToLower(facts.Product)
	switch {
	case facts.Emulator != "":
		return "emulated: " + facts.Emulator
	case facts.Arch == "x86_64" || product == "" || strings.Contains(product, "bluefield"):
		return ""
	}
	return "substitute: " + facts.Product
}
