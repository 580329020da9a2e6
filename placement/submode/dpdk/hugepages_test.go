package dpdk

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/transcript"
	"dpukv/placement/submode/step"
)

// TestEnoughPages: without a mount of 2 MiB, testpmd takes pages of every pool.
func TestEnoughPages(t *testing.T) {
	const small, large = "mounted /dev/hugepages rw,pagesize=2M\n", "mounted /mnt rw,pagesize=512M\n"
	for name, c := range map[string]struct{ out, want string }{
		"enough":         {"pool 2048 512\n" + small, ""},
		"one too few":    {"pool 2048 511\n" + small, "found 1022 MiB in huge pages: 511 free of 2048 kB"},
		"another size":   {"pool 2048 0\npool 524288 2\n" + large, ""},
		"two pools":      {"pool 2048 256\npool 524288 1\n" + small + large, ""},
		"not mounted":    {"pool 2048 256\npool 524288 1\n" + small, "1 free of 524288 kB (not mounted)"},
		"by the default": {"pool 2048 512\nmounted /dev/hugepages rw\ndefault 2048\n", ""},
		"gigabytes":      {"pool 1048576 1\nmounted /mnt rw,pagesize=1G\n", ""},
		"as megabytes":   {"pool 1048576 1\nmounted /mnt rw,pagesize=1024M\n", ""},
		"held":           {"pool 2048 0\n" + small + "held 1048576\n", ""},
		"no mount":       {"pool 2048 512\n", ""},
		"none of 2 MiB":  {"pool 2048 256\npool 524288 1\n" + large, ""},
		"and too few":    {"pool 2048 511\n", "found 1022 MiB"},
		"only of 2 MiB":  {"pool 2048 0\npool 524288 2\nmounted /mnt rw,pagesize=2M\n", "found 0 MiB"},
		"none":           {"", "found 0 MiB"},
		"no number":      {"pool 2048 many\n", `found "pool 2048 many`},
	} {
		err := enoughPages(c.out, 1024, WhereNotMounted)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, want %q", name, err, c.want)
		}
	}
}

// TestPagesAlwaysInMemory: Open vSwitch takes pages of every pool. An image with base pages of
// 64 KiB mounts those of 512 MiB only.
func TestPagesAlwaysInMemory(t *testing.T) {
	out := transcript.Read(t, "../testdata/transcripts/undated/hugepages-64k.txt")
	must.Do(t, enoughPages(out, 1024, Always))
	must.Do(t, enoughPages("pool 2048 256\npool 524288 1\nmounted /mnt rw,pagesize=2M\n", 1024, Always))
	if err := enoughPages(out, 1026, Always); err == nil {
		t.Error("found enough pages, want two too few")
	}
}

// TestHugePagesHere reads this machine's pools.
func TestHugePagesHere(t *testing.T) {
	pools, _ := filepath.Glob("/sys/kernel/mm/hugepages/hugepages-*kB")
	if len(pools) == 0 {
		t.Skip("needs a kernel with huge pages")
	}
	pid := filepath.Join(t.TempDir(), "pid")
	must.Do(t, os.WriteFile(pid, []byte("1\n"), 0o600))
	here := step.Via("here", func(argv []string) ([]string, error) { return argv, nil })
	s := HugePages(1024, pid, Always)
	out := must.Get(here.Run(context.Background(), s.Run))(t)
	h, err := parseHugePages(out)
	if err != nil || len(h.free) != len(pools) {
		t.Errorf("found %+v, %v in %q, want %d pools", h, err, out, len(pools))
	}
}

// FuzzHugePages: a node may print anything; reading it must not panic.
func FuzzHugePages(f *testing.F) {
	f.Add("pool 2048 512\nmounted /dev/hugepages rw,pagesize=2M\ndefault 2048\nheld 4\n")
	f.Fuzz(func(_ *testing.T, out string) { _ = enoughPages(out, 1024, Always) })
}
