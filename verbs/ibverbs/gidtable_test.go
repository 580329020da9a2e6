package ibverbs

import (
	"os"
	"path/filepath"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/verbs"
)

// TestReadGIDs reads a table with an unused row, and one whose type the kernel does not tell.
func TestReadGIDs(t *testing.T) {
	port := t.TempDir()
	for file, text := range map[string]string{
		"gids/0": "fe80:0000:0000:0000:0000:0000:0000:0001", "gid_attrs/types/0": "IB/RoCE v1",
		"gids/1": "fe80:0000:0000:0000:0000:0000:0000:0001", "gid_attrs/types/1": "RoCE v2",
		"gids/2": "0000:0000:0000:0000:0000:0000:0000:0000",
		"gids/3": "0000:0000:0000:0000:0000:ffff:0a00:0001", "gid_attrs/types/3": "RoCE v2",
		"gids/4": "0000:0000:0000:0000:0000:ffff:0a00:0002",
	} {
		path := filepath.Join(port, file)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text+"\n"), 0o644))
	}
	check := func(link verbs.LinkLayer, want ...gidEntry) {
		t.Helper()
		got := readGIDs(port, 256, link)
		if list(got) != list(want) {
			t.Errorf("%s: found %s, want %s", link, list(got), list(want))
		}
	}
	check(verbs.LinkEthernet, entry(0, gidRoCEv1, "fe80::1"), entry(1, gidRoCEv2, "fe80::1"),
		entry(3, gidRoCEv2, "10.0.0.1"))
	check(verbs.LinkInfiniBand, entry(0, gidIB, "fe80::1"), entry(1, gidIB, "fe80::1"),
		entry(3, gidIB, "10.0.0.1"), entry(4, gidIB, "10.0.0.2"))
}
