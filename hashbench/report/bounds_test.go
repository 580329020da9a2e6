package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadIsBounded: neither a long file nor a short one of many results takes all memory.
func TestReadIsBounded(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, "long.json")
	f, err := os.Create(long)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 40); err != nil {
		t.Skipf("no sparse file of a TiB: %v", err)
	}
	many := filepath.Join(dir, "many.json")
	text := `{"kind": "dpukv-hash", "results": [` + strings.Repeat("{},", maxObjects) + "{}]}"
	if err := os.WriteFile(many, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		long:        "found 1099511627776 bytes, allowed: at most",
		many:        "found 100002 objects, allowed: at most 100000",
		"/dev/zero": "found a device",
		dir:         "found a folder",
	} {
		if _, err := Read(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}
