package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the release build: -ldflags "-X main.version=v1.2.3".
var version = "devel"

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and how this binary was built",
		Args:  exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintf(cmd.OutOrStdout(), "dpukv %s %s/%s %s%s\n", version, runtime.GOOS,
				runtime.GOARCH, runtime.Version(), buildNotes())
			return nil
		},
	}
}

// buildNotes names the properties that make this build slower than another. The notes belong beside
// every measurement.
func buildNotes() (notes string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "-race", "-tags", "-gcflags", "GOAMD64", "vcs.revision", "vcs.modified":
			notes += fmt.Sprintf(" %s=%s", s.Key, s.Value)
		}
	}
	return notes
}
