package placement

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"sync"
)

// buildID is a digest of the binary that runs. Version strings are for people: only this tells
// whether two processes are the same program.
var buildID = sync.OnceValues(func() (string, error) {
	f, err := os.Open("/proc/self/exe") // what runs, even if the file was replaced since
	if err != nil {
		return "", fmt.Errorf("read this binary: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read this binary: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
})
