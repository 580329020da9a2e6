package placement

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
)

// buildID is a digest of the binary that runs. Version strings are for people: only this tells
// whether two processes are the same program.
var buildID = sync.OnceValues(func() (string, error) {
	return digest("/proc/self/exe") // what runs, even if the file was replaced since
})

func digest(file string) (string, error) {
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

// source is the revision that this binary was built from; "" where the build did not note it. Between
// architectures it has to do: their digests differ.
func source() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	said := map[string]string{}
	for _, s := range info.Settings {
		said[s.Key] = s.Value
	}
	if said["vcs.modified"] == "true" {
		return said["vcs.revision"] + " with changes"
	}
	return said["vcs.revision"]
}
