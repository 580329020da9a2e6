package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"dpukv/internal/spelling"
	"dpukv/kvs"
)

// usageError is a mistake in the user's request: exit status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// noVerdictError is a comparison, or a threshold, that decides nothing: exit status 3.
type noVerdictError struct{ error }

func (e noVerdictError) Unwrap() error { return e.error }

// usagef makes a usageError, unless the machine or somebody else refused what the user asked for.
func usagef(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if refused(err) {
		return err
	}
	return usageError{err}
}

// namings are the errors of system calls that mean the name of a file, or what it names. The user
// chose it.
var namings = []error{
	syscall.ENOENT, syscall.ENOTDIR, syscall.EISDIR, syscall.EEXIST, syscall.ENOTEMPTY,
	syscall.ENAMETOOLONG, syscall.ELOOP, syscall.ENODEV, syscall.ENXIO, syscall.EINVAL,
}

// refused reports whether an error is no mistake in the request: a port in use, no permission, no
// room, a program that is missing or ended, an interruption.
func refused(err error) bool {
	if errors.As(err, new(kvs.NotStarted)) || errors.Is(err, context.Canceled) {
		return true
	}
	var errno syscall.Errno
	return errors.As(err, &errno) && !slices.ContainsFunc(namings, func(naming error) bool {
		return errors.Is(errno, naming)
	})
}

// rephrased is an error with another text.
type rephrased struct {
	error
	text string
}

func (e rephrased) Error() string { return e.text }
func (e rephrased) Unwrap() error { return e.error }

// subject is what a parser says that it read.
var subject = regexp.MustCompile(`^[a-z ]+: found `)

// ofFlag is the mistake in a flag's value. The flag's name stands for the parser's subject.
func ofFlag(flag string, err error) error {
	text := subject.ReplaceAllString(err.Error(), "found ")
	if refused(err) {
		return fmt.Errorf("--%s: %w", flag, rephrased{err, text})
	}
	return usagef("--%s: %s", flag, text)
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
