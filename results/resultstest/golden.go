package resultstest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"dpukv/internal/test/must"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Updating reports whether -update asks to write golden files.
func Updating() bool { return *update }

// Golden compares got with the file of this name in testdata.
func Golden(tb testing.TB, name string, got []byte) {
	tb.Helper()
	path := filepath.Join("testdata", name)
	if Updating() {
		must.Do(tb, os.MkdirAll("testdata", 0o777))
		must.Do(tb, os.WriteFile(path, got, 0o666))
		return
	}
	want := must.Get(os.ReadFile(path))(tb)
	if !bytes.Equal(got, want) {
		tb.Errorf("%s differs (if that is meant: go test -update):\ngot\n%s\nwant\n%s", path, got,
			want)
	}
}
