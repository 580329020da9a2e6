package tools

import (
	"os"
	"path/filepath"
	"testing"
)

// First puts scripts first in the PATH, as programs. Nodes that are via: local use them.
func First(t *testing.T, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		text := []byte("#!/bin/sh\n" + script)
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}
