package provenance

import (
	"bytes"
	_ "embed" // VERSION
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"dpukv/internal/foreign"
)

// Unknown stands for a commit that is not known.
const Unknown = "unknown"

// Where a commit is from.
const (
	byBuild    = "the build"
	byLinker   = "git, as make build asked it"
	byCheckout = "git, in the checkout that go run has just built"
)

// number is the version that this source becomes when its commit is tagged, such as "0.1.0".
//
//go:embed VERSION
var number string

// Build is the source that a binary was built from.
type Build struct {
	Version  string `json:"version"`  // of the release, else with "-dev+" and the commit
	Revision string `json:"revision"` // the commit, or [Unknown]
	// Modified reports that the files were not those of the commit.
	Modified   bool   `json:"modified"`
	RevisionBy string `json:"revision_by,omitempty"` // what told the commit
	GoVersion  string `json:"go_version"`
}

// ThisBuild describes this binary. version and commit are what the linker set, or "". The commit
// has "-dirty" for changes. Only the linker can set a version without "-dev": make asks git for the
// tag (packaging/version.sh).
func ThisBuild(version, commit string) Build {
	b := Build{Version: version, Revision: Unknown, GoVersion: runtime.Version()}
	if said := settings(); said["vcs.revision"] != "" {
		b.Revision, b.RevisionBy = said["vcs.revision"], byBuild
		b.Modified = said["vcs.modified"] == "true"
	} else if commit != "" {
		b.RevisionBy = byLinker
		b.Revision, b.Modified = strings.CutSuffix(commit, "-dirty")
	} else if self, err := os.Executable(); err == nil && byGoRun(self) {
		b.readCheckout(sourceFolder())
	}
	if version == "" {
		b.Version = strings.TrimSpace(number) + "-dev+" + b.short()
	}
	return b
}

// Warning says what is doubtful about a build; "": nothing.
func (b *Build) Warning() string {
	switch {
	case b.Revision == Unknown:
		return "the commit of this dpukv is unknown: build it with make build, in a git checkout"
	case b.Modified:
		return "this dpukv was built from files that differ from commit " + b.commit() +
			": commit them first, and a reader finds the source"
	}
	return ""
}

// short is a commit for a version: "1359806abcde", "1359806abcde.dirty", "unknown".
func (b *Build) short() string {
	if b.Modified {
		return b.commit() + ".dirty"
	}
	return b.commit()
}

func (b *Build) commit() string { return b.Revision[:min(len(b.Revision), 12)] }

// byGoRun reports whether the go command has built a binary for one run: it then lies in a
// temporary folder of that command.
func byGoRun(binary string) bool {
	return strings.Contains(binary, "/go-build") && filepath.Base(filepath.Dir(binary)) == "exe"
}

// sourceFolder is the folder of this file when it was compiled; "": the build left it out.
func sourceFolder() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return ""
	}
	return filepath.Dir(file)
}

// readCheckout asks git for the commit of a folder. Without git it stays unknown.
func (b *Build) readCheckout(dir string) {
	if dir == "" {
		return
	}
	revision, err := foreign.Run(exec.Command("git", "-C", dir, "rev-parse", "HEAD"))
	if err != nil {
		return
	}
	changes, err := foreign.Run(exec.Command("git", "-C", dir, "status", "--porcelain"))
	if err != nil {
		return
	}
	b.Revision, b.RevisionBy = string(bytes.TrimSpace(revision)), byCheckout
	b.Modified = len(changes) > 0
}

func settings() map[string]string {
	said := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			said[s.Key] = s.Value
		}
	}
	return said
}
