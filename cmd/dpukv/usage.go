package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"dpukv/internal/spelling"
)

// usageError is a mistake in the user's request: exit status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// noVerdictError is a comparison, or a threshold, that decides nothing: exit status 3.
type noVerdictError struct{ error }

func (e noVerdictError) Unwrap() error { return e.error }

// usagef makes a usageError.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// subject is what a parser says that it read.
var subject = regexp.MustCompile(`^[a-z ]+: found `)

// ofFlag is the mistake in a flag's value. The flag's name stands for the parser's subject.
func ofFlag(flag string, err error) error {
	return usagef("--%s: %s", flag, subject.ReplaceAllString(err.Error(), "found "))
}

// show prints a result: as one JSON value, or in words.
func show(cmd *cobra.Command, asJSON bool, result any, words func(io.Writer) error) error {
	if asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
	}
	return words(cmd.OutOrStdout())
}

// exactArgs requires n arguments of this name.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s: found %d, allowed: %d %s", cmd.CommandPath(), len(args), n, what)
		}
		return nil
	}
}

// group marks a command that only has subcommands.
const group = "group"

// newGroupCommand is a command that only has subcommands.
func newGroupCommand(use, short, long string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, RunE: helpOfGroup, Args: cobra.ArbitraryArgs,
		Annotations: map[string]string{group: use},
	}
	cmd.AddCommand(commands...)
	return cmd
}

// helpOfGroup runs a command that only has subcommands.
func helpOfGroup(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return cmd.Help()
}

// unknownCommand is the error about a subcommand that the command does not have.
func unknownCommand(cmd *cobra.Command, name string) error {
	var known []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			known = append(known, sub.Name())
		}
	}
	return usagef("command: found the unknown %q%s; see %s --help", name,
		spelling.Hint(name, known), cmd.CommandPath())
}
