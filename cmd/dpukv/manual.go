//go:build manual

package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func init() { taggedCommands = append(taggedCommands, newManualCommand) }

// newManualCommand writes the files that a package installs beside the binary. It is behind a build
// tag, so that the binary itself contains no typesetter.
func newManualCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "manual DIR",
		Short:  "Write the man pages and shell completions into DIR",
		Hidden: true,
		Args:   exactArgs(1, "argument: the folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeManual(cmd.Root(), args[0])
		},
	}
}

// writeManual makes DIR/man1 and DIR/completions. The pages' date is SOURCE_DATE_EPOCH.
func writeManual(root *cobra.Command, dir string) error {
	root.DisableAutoGenTag = true
	man, completions := filepath.Join(dir, "man1"), filepath.Join(dir, "completions")
	for _, d := range []string{man, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	header := &doc.GenManHeader{Section: "1", Source: "dpukv " + version, Manual: "dpukv"}
	if err := doc.GenManTree(root, header, man); err != nil {
		return err
	}
	if err := root.GenBashCompletionFileV2(filepath.Join(completions, "dpukv.bash"),
		true); err != nil {
		return err
	}
	if err := root.GenZshCompletionFile(filepath.Join(completions, "_dpukv")); err != nil {
		return err
	}
	return root.GenFishCompletionFile(filepath.Join(completions, "dpukv.fish"), true)
}
