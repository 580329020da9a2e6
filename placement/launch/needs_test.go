package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"dpukv/internal/test/must"
)

const (
	x86Loader = "/lib64/ld-linux-x86-64.so.2"
	armLoader = "/lib/ld-linux-aarch64.so.1"
)

func TestMisfit(t *testing.T) {
	debian := parseMachine("x86_64 2.36 " + x86Loader + " /lib/ld-musl-x86_64.so.1")
	alpine := parseMachine("x86_64 - /lib/ld-musl-x86_64.so.1")
	scratch := parseMachine("x86_64 -")
	old := parseMachine("x86_64")
	for _, test := range []struct {
		name    string
		needs   needs
		machine machine
		want    string // "": it fits
	}{
		{"static on anything", needs{}, scratch, ""},
		{"static on what an older script tells", needs{}, old, ""},
		{"no versions", needs{loader: x86Loader}, debian, ""},
		{"older version", needs{loader: x86Loader, glibc: "2.4"}, debian, ""},
		{"newer version", needs{x86Loader, "2.38"}, debian, "it needs glibc 2.38, and the node has 2.36"},
		{
			"musl",
			needs{loader: x86Loader},
			alpine,
			"it needs the dynamic linker " + x86Loader + ", and the node has /lib/ld-musl-x86_64.so.1",
		},
		{"no loader", needs{loader: x86Loader}, scratch, "and the node has none"},
	} {
		t.Run(test.name, func(t *testing.T) { must.Fail(t, test.needs.misfit(test.machine), test.want) })
	}
}

// TestChoosesBuildByNeed offers both builds to machines with and without the C library.
func TestChoosesBuildByNeed(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles")
	}
	dir := t.TempDir()
	b := Binaries{Dir: dir}
	other, uname, loader := "arm64", "aarch64", armLoader
	if runtime.GOARCH == "arm64" {
		other, uname, loader = "amd64", "x86_64", x86Loader
	}
	file := filepath.Join(dir, "dpukv-linux-"+other)
	compile(t, other, file, "")
	glibc, musl := parseMachine(uname+" 2.17 "+loader), parseMachine(uname+" -")
	expect := func(m machine, want string) {
		t.Helper()
		bin, err := b.open(m)
		if err != nil {
			t.Errorf("%+v: %v", m, err)
			return
		}
		defer bin.Close()
		if bin.Name() != want {
			t.Errorf("%+v: found %s, want %s", m, bin.Name(), want)
		}
	}
	expect(glibc, file)
	_, err := b.open(musl)
	must.Fail(t, err, "there is no "+file+"-static")
	must.Fail(t, err, "-tags static")
	compile(t, other, file+"-static", "static")
	expect(musl, file+"-static")
	expect(glibc, file)
}

// compile builds package clib's users as a release does, without the rest of dpukv.
func compile(t *testing.T, arch, file, tags string) {
	t.Helper()
	cmd := exec.Command("go", "test", "-c", "-tags", tags, "-o", file, "dpukv/verbs/provider")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
