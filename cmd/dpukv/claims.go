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
		Short: "Compare the study's findings with your runs",
		Long: `Print each finding of the study beside what the run folders show: agrees, disagrees, or not
measured. Each line has both numbers, and the warnings about either.

Runs with different DPUs can be given together. A run counts for the generation that its testbed
names, or for the profile that stands for it. Results over emulated parts are marked.`,
		Example: `  dpukv claims runs/on-bf2 runs/on-bf3
  dpukv claims runs/emulated`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("claims: found no arguments, allowed: one or more run folders")
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
