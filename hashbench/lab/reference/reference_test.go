package reference

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"dpukv/hashbench"
	"dpukv/internal/test/must"
)

// sourcesVar names the folder of the sources without a Debian package.
const sourcesVar = "HASH_C_SOURCES"

// built is the program, compiled once for all tests.
var built struct {
	sync.Once
	folder  string
	path    string
	missing []string
	err     error
}

func TestMain(m *testing.M) {
	status := m.Run()
	if built.folder != "" {
		_ = os.RemoveAll(built.folder)
	}
	os.Exit(status)
}

func build() (path string, missing []string, err error) {
	built.Do(func() {
		if built.folder, built.err = os.MkdirTemp("", "reference"); built.err == nil {
			built.path, built.missing, built.err = Build(context.Background(), built.folder, os.Getenv(sourcesVar))
		}
	})
	return built.path, built.missing, built.err
}

// start builds and starts the available references, and names the missing ones.
func start(t *testing.T) *Process {
	t.Helper()
	path, missing, err := build()
	if errors.Is(err, ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(missing) > 0 {
		t.Logf("without %s; %s names the sources' folder", strings.Join(missing, ", "), sourcesVar)
	}
	p := must.Get(Start(path))(t)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// TestSameBits: Go's and C's hashes of 0 to 1500 bytes are the same.
func TestSameBits(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles C++")
	}
	p := start(t)
	compared := 0
	for _, f := range hashbench.All() {
		if !p.Has(f.Base()) {
			continue
		}
		want := must.Get(p.Digest(f.Base()))(t)
		if got := f.Digest(); got != want {
			t.Errorf("%s: digest %016x, the reference's %016x", f.Name, got, want)
		}
		compared++
	}
	t.Logf("%d of %d functions compared", compared, len(hashbench.All()))
	if compared < 6 { // FNV's are part of the program
		t.Errorf("only %d functions compared", compared)
	}
}

func TestUnknownIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles C++")
	}
	p := start(t)
	if _, err := p.Digest("md4"); err == nil || !strings.Contains(err.Error(), "md4") {
		t.Errorf("got %v", err)
	}
}
