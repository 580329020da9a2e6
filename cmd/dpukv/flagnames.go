package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dpukv/internal/spelling"
	"dpukv/placement/sweep"
)

// formerCommands has the former names of commands, and their words now.
var formerCommands = map[string]string{
	"search": "sweep --find-rate",
	"memory": "probe memory", "dma": "probe dma", "verbs": "probe verbs",
	"submode": "testbed submode", "card-report": "testbed card-report",
	"merge": "run merge", "verify": "run verify", "export": "run export", "claims": "run claims",
}

// commandNow returns arguments with the words of today for a former name, and says so on stderr.
func commandNow(args []string, stderr io.Writer) []string {
	if len(args) == 0 {
		return args
	}
	now := formerCommands[args[0]]
	if now == "" {
		return args
	}
	fmt.Fprintf(stderr, "dpukv %s is now dpukv %s; the old name goes with version 0.2\n", args[0],
		now)
	return append(strings.Fields(now), args[1:]...)
}

// flagError is the error about a flag that the command lacks, or about its value.
func flagError(cmd *cobra.Command, err error) error {
	if name := cmd.Flags().Arg(0); name != "" && cmd.Annotations[group] != "" {
		return unknownCommand(cmd, name) // the flag may be right for what is meant
	}
	text := err.Error()
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &invalid):
		text = invalidValue(invalid)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		text = unknownFlag(cmd, unknown.GetSpecifiedName())
	}
	return usagef("%s; see %s --help", text, cmd.CommandPath())
}

// allowedValues are in words what flags of Go's types take. Other types say it themselves.
var allowedValues = map[string]string{
	"int": "a whole number", "uint": "a whole number, 0 or more", "float": "a number",
	"duration": "a time with its unit, such as 5s", "bool": "true or false",
}

func invalidValue(e *pflag.InvalidValueError) string {
	f := e.GetFlag()
	if allowed := allowedValues[strings.TrimSuffix(f.Value.Type(), "64")]; allowed != "" {
		return fmt.Sprintf("--%s: found %q, allowed: %s", f.Name, e.GetValue(), allowed)
	}
	return ofFlag(f.Name, e.Unwrap()).Error()
}

// consents are flags by which a user agrees to a risk. No hint names them.
var consents = []string{"yes", "evict-others", "keep", "tls-insecure"}

// unknownFlag names what the user may have meant: a key of the sweep, or another flag.
func unknownFlag(cmd *cobra.Command, name string) string {
	text := "unknown flag --" + name
	key := strings.ReplaceAll(name, "-", "_")
	isKey := func(k sweep.Key) bool { return k.Name == key }
	if cmd.Flags().Lookup("set") != nil && slices.ContainsFunc(sweep.Keys(), isKey) {
		return fmt.Sprintf("%s; to set a sweep key: --set %s=%s", text, key, valueOf(name, os.Args))
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !slices.Contains(consents, f.Name) {
			known = append(known, "--"+f.Name)
		}
	})
	return text + spelling.Hint("--"+name, known)
}

// valueOf returns the value of a flag on a command line.
func valueOf(flag string, args []string) string {
	for i, word := range args {
		if value, ok := strings.CutPrefix(word, "--"+flag+"="); ok {
			return value
		}
		next := i + 1
		if word == "--"+flag && next < len(args) && !strings.HasPrefix(args[next], "-") {
			return args[next]
		}
	}
	return "VALUE"
}
