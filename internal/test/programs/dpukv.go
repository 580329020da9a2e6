package programs

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"dpukv/internal/test/must"
)

// folder is the binary's folder; it is "" if no binary was built.
var folder string

// build builds the binary. Where there is no compiler, SUBMODE_BINARY names one that is there.
var build = sync.OnceValues(func() (string, error) {
	if file := os.Getenv("SUBMODE_BINARY"); file != "" {
		return file, nil
	}
	dir, err := os.MkdirTemp("", "dpukv-test")
	if err != nil {
		return "", err
	}
	folder = dir
	file := filepath.Join(dir, "dpukv")
	if out, err := exec.Command("go", "build", "-o", file,
		"dpukv/cmd/dpukv").CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return file, nil
})

// DPUKV is the file of the binary, which the first call builds. It skips short tests: a test that
// starts the binary measures for seconds.
func DPUKV(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	return must.Get(build())(t)
}

// Remove deletes the binary. TestMain calls it after all tests.
func Remove() {
	if folder != "" {
		os.RemoveAll(folder)
	}
}
