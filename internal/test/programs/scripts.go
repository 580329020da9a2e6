package programs

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

// SSH is an ssh that runs here what it would run on the other machine.
const SSH = `for last; do :; done
exec sh -c "$last"
`

// Mlxconfig returns a card's tool with three modes: the preset, the current and the next one. Each
// is a number of INTERNAL_CPU_MODEL. It prints what NVIDIA's documents show. No card was used.
func Mlxconfig(preset, current, next string) string {
	return `case $5 in INTERNAL_CPU_MODEL) echo "$5 ` + preset + " " + current + " " + next + `" ;;
*) echo "$5 0 0 0" ;; esac
`
}
