package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dpukv/internal/spelling"
)

// formerFlag is a flag under a name that it had before. It sets the flag of today, and says so.
type formerFlag struct {
	pflag.Value
	cmd  *cobra.Command
	name string
	now  *pflag.Flag
}

// Set sets the flag of today.
func (f *formerFlag) Set(text string) error {
	fmt.Fprintf(f.cmd.ErrOrStderr(), "--%s is now --%s\n", f.name, f.now.Name)
	f.now.Changed = true
	return f.Value.Set(text)
}

// formerFlags has the former names of flags and their names now, by the path of their command, as
// {"load": {"threads": "client-threads"}}. A name stays until the round after the one that retired
// it.
var formerFlags map[string]map[string]string

// keepFormerNames lets scripts go on with former names of flags. Help does not list them.
func keepFormerNames(root *cobra.Command, former map[string]map[string]string) {
	for path, names := range former {
		cmd, _, err := root.Find(strings.Fields(path))
		if err != nil {
			panic(err) // the table names no command
		}
		for name, now := range names {
			f := cmd.Flags().Lookup(now)
			cmd.Flags().VarPF(&formerFlag{f.Value, cmd, name, f}, name, "", "").Hidden = true
		}
	}
}

// flagHint names the flag that the user may have meant by an unknown one.
func flagHint(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, "--"+f.Name)
		}
	})
	return spelling.Hint("--"+unknown.GetSpecifiedName(), known)
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
