package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"dpukv/results/claims"
)

func newClaimsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "claims RUN...",
		Short: "Hold the study's findings against your runs",
		Long: `Print each finding of the study beside what the run folders show: agrees, disagrees, or not measured, with both
numbers, and the doubts about either. Runs with different DPUs can be given together; a run counts for the
generation that its testbed names, or the profile that stands for it. What rests on emulated parts is marked so.`,
		Example: `  dpukv claims runs/on-bf2 runs/on-bf3
  dpukv claims runs/emulated`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("claims: found no arguments, want one or more run folders")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			book, err := claims.Load()
			if err != nil {
				return err
			}
			runs, err := openRuns(cmd, args)
			if err != nil {
				return err
			}
			outcomes := book.Evaluate(runs)
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(outcomes)
			}
			return claims.Write(cmd.OutOrStdout(), runs, outcomes)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list instead of text")
	return cmd
}

func openRuns(cmd *cobra.Command, dirs []string) ([]claims.Run, error) {
	var runs []claims.Run
	for _, dir := range dirs {
		folder, err := openRun(dir)
		if err != nil {
			return nil, err
		}
		run, bad, err := claims.OpenRun(folder)
		if err != nil {
			return nil, err
		}
		for _, b := range bad {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: left out %s\n", dir, b)
		}
		runs = append(runs, run)
	}
	return runs, nil
}
