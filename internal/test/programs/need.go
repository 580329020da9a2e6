package programs

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"dpukv/internal/program"
)

// Need skips a test unless all these programs are installed, and returns the file of the first.
// Command skips counts such tests by the words.
func Need(tb testing.TB, name string, others ...string) (path string) {
	tb.Helper()
	for _, n := range append(others, name) {
		var err error
		if path, err = exec.LookPath(n); err != nil {
			missing(tb, filepath.Base(n))
		}
	}
	return path
}

// NeedFound skips a test if err, of a search by the product, says that a program is not installed.
func NeedFound(tb testing.TB, err error) {
	tb.Helper()
	if gone := new(program.NotInstalled); errors.As(err, gone) {
		missing(tb, gone.Name)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

func missing(tb testing.TB, name string) {
	tb.Helper()
	tb.Skipf("needs the program %s, which is not installed", name)
}
