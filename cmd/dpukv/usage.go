package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// usageError is a mistake in the user's request: exit status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// noVerdictError is a comparison, or a threshold, that decides nothing: exit status 3.
type noVerdictError struct{ error }

func (e noVerdictError) Unwrap() error { return e.error }

// usagef makes a usageError.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exactArgs requires n arguments of this name.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%[1]s: found %[4]d, allowed: %[2]d "+
				"%[3]s", cmd.CommandPath(), n, what, len(args))
		}
		return nil
	}
}
