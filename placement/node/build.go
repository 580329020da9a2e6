package node

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"dpukv/internal/machine"
)

// BuildID is a digest of the running binary. Version strings are for people: only the digest tells
// whether two processes are the same program.
var BuildID = sync.OnceValues(func() (string, error) {
	return Digest("/proc/self/exe") // what runs, even if the file was replaced since
})

// Digest identifies a binary.
func Digest(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("read this binary: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read this binary: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// source returns the revision that this binary was built from, or "" if the build did not record
// it. Between architectures, and between a static build and another, the revision has to do: the
// digests differ.
func source() string {
	said := buildSettings()
	if said["vcs.modified"] == "true" {
		return said["vcs.revision"] + " with changes"
	}
	return said["vcs.revision"]
}

// static reports whether this is a build without a C library, for nodes that have none that fits.
func static() bool {
	return slices.Contains(strings.Split(buildSettings()["-tags"], ","), "static")
}

func buildSettings() map[string]string {
	said := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			said[s.Key] = s.Value
		}
	}
	return said
}

// Build is a build of dpukv, as its own processes describe it.
type Build struct {
	Version, Digest string

	source string
	static bool
}

// ThisBuild describes the running binary, whose digest the caller has.
func ThisBuild(version, digest string) Build {
	return Build{Version: version, Digest: digest, source: source(), static: static()}
}

// Of describes the build of the process that said hello.
func (h *Hello) Of() Build {
	return Build{Version: h.Version, Digest: h.Build, source: h.Source, static: h.Static}
}

// Label names a build in a sweep and in its points: the version and the begin of the digest. It
// has only characters that need no quotes.
func (b *Build) Label() string {
	const shown = 8
	plain := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) ||
			strings.ContainsRune("._+-", r) {
			return r
		}
		return '-'
	}, b.Version)
	return plain + "@" + b.Digest[:min(shown, len(b.Digest))]
}

// Alike reports whether nothing but their digests tells two builds apart. Then their binaries for
// another architecture cannot be told apart at all.
func (b *Build) Alike(o *Build) bool { return b.Version == o.Version && b.source == o.source }

// Recognize refuses a node that runs another program than this build. Its points would measure that
// program.
func (b *Build) Recognize(node string, h *Hello) error {
	same := h.Build == b.Digest
	arch := h.Machine.Arch
	if arch != "" && arch != machine.Arch() || h.Static != b.static { // then its digest is another
		same = h.Version == b.Version && h.Source == b.source
	}
	switch {
	case h.Protocol != ProtocolVersion:
		return fmt.Errorf("node %s: its dpukv (%s) speaks protocol %d, this one (%s) speaks %d: "+
			"install this one there",
			node, h.Version, h.Protocol, b.Version, ProtocolVersion)
	case !same:
		return fmt.Errorf("node %s: its dpukv is another build (%s, %s) than the one that sweeps "+
			"(%s, %s): was the binary replaced meanwhile? Continue with the one there is now",
			node, h.Version, h.Build, b.Version, b.Digest)
	}
	return nil
}
