//go:build card

package rehearsal

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMain is also the main function of the card's programs: they are links to this binary.
func TestMain(m *testing.M) {
	if program, ok := emulated[filepath.Base(os.Args[0])]; ok {
		program(os.Args[1:])
		return
	}
	os.Exit(m.Run())
}
