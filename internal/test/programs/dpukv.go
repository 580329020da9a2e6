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
	return file, compile(file)
})

func compile(file string, flags ...string) error {
	argv := append(append([]string{"build", "-o", file}, flags...), "dpukv/cmd/dpukv")
	if out, err := exec.Command("go", argv...).CombinedOutput(); err != nil {
		return errors.New(string(out))
	}
	return nil
}

// DPUKV is the file of the binary, which the first call builds. It skips short tests: a test that
// starts the binary measures for seconds.
func DPUKV(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	return must.Get(build())(t)
}

// Another is the file of another build, of this version, in a folder of the test.
func Another(t *testing.T, version string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "dpukv")
	must.Do(t, compile(file, "-ldflags", "-X main.version="+version))
	return file
}

// Remove deletes the binary. TestMain calls it after all tests.
func Remove() {
	if folder != "" {
		os.RemoveAll(folder)
	}
}
