package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"dpukv/internal/provenance"
)

// The Makefile sets both by -ldflags "-X main.version=0.1.0 -X main.commit=...". Without a version,
// that of internal/provenance/VERSION counts, with "-dev+" and the commit. The commit has "-dirty"
// if files differed from it. It counts where the go command recorded none.
var version, commit string

// thisBuild is the source of this binary.
var thisBuild = provenance.ThisBuild(version, commit)

func init() { version = thisBuild.Version }

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit, and how this binary was built",
		Args:  exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			warnOfBuild(cmd.ErrOrStderr())
			_, err := io.WriteString(cmd.OutOrStdout(), versionText())
			return err
		},
	}
}

// versionText is what the command prints, and the flag --version, too.
func versionText() string {
	return fmt.Sprintf("dpukv %s %s/%s %s%s\n%s\n", version, runtime.GOOS, runtime.GOARCH,
		runtime.Version(), buildNotes(), commitText())
}

// warnOfBuild says what is doubtful about this build.
func warnOfBuild(stderr io.Writer) {
	if w := thisBuild.Warning(); w != "" {
		fmt.Fprintln(stderr, "warning:", w)
	}
}

// commitText is the line about the commit.
func commitText() string {
	if thisBuild.Revision == provenance.Unknown {
		return "commit " + provenance.Unknown
	}
	changes := "without changes"
	if thisBuild.Modified {
		changes = "with changes"
	}
	return fmt.Sprintf("commit %s, %s, by %s", thisBuild.Revision, changes, thisBuild.RevisionBy)
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
		case "-race", "-tags", "-gcflags", "GOAMD64":
			notes += fmt.Sprintf(" %s=%s", s.Key, s.Value)
		}
	}
	return notes
}
