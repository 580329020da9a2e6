package launch

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"dpukv/internal/test/daemon"
	"dpukv/internal/test/must"
)

func TestInstall(t *testing.T) {
	t.Parallel()
	s := daemon.StartSSH(t, daemon.SSHOptions{})
	n := node(s)
	first := installed(t, n, s)

	t.Run("only once", func(t *testing.T) {
		before := stat(t, first)
		if again := installed(t, n, s); again != first || !os.SameFile(stat(t, again), before) {
			t.Errorf("the second time it was copied again, to %s after %s", again, first)
		}
	})
	t.Run("damaged", func(t *testing.T) {
		must.Do(t, os.Truncate(first, 100))
		installed(t, n, s)
	})
	t.Run("cut short", func(t *testing.T) {
		must.Do(t, os.RemoveAll(s.Cache))
		cmd, stderr := commandOn(t, n, bootstrap(installScript))
		cmd.Stdin = strings.NewReader(installScript + filepath.Base(filepath.Dir(first)) + "\nhalf of it")
		if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "the connection was cut") {
			t.Errorf("found %v, %s", err, stderr)
		}
		expectFiles(t, s.Cache)
	})
}

func TestInstallsAtOnce(t *testing.T) {
	t.Parallel()
	// The login shell writes something to stdout, as many a .bashrc does.
	s := daemon.StartSSH(t,
		daemon.SSHOptions{Config: []string{"ForceCommand echo Welcome to bf; exec sh -c \"$SSH_ORIGINAL_COMMAND\""}})
	n := node(s)
	var paths [3]string
	var wg sync.WaitGroup
	for i := range paths {
		wg.Go(func() { paths[i] = installed(t, n, s) })
	}
	wg.Wait()
	expectFiles(t, s.Cache, paths[0])
}

func TestInstallWithoutRoom(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ mount, want string }{
		"full": {"-o size=1m", "node bf: there is no room for dpukv: make some in ~/.cache there"},
		"read-only": {
			"-o ro",
			"node bf: dpukv cannot be stored in ~/.cache (Read-only file system): set XDG_CACHE_HOME there",
		},
		"noexec": {"-o noexec", "node bf: dpukv cannot be run from ~/.cache"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := daemon.StartSSH(t,
				daemon.SSHOptions{Setup: "mkdir $CACHE; mount -t tmpfs " + tc.mount + " tmpfs $CACHE"})
			n := node(s)
			_, err := Install(t.Context(), n, Binaries{})
			expectExplained(t, err, tc.want)
			if out, err := Output(t.Context(), n, "find", s.Cache, "-type", "f"); err != nil || len(out) > 0 {
				t.Errorf("left behind: %s %v", out, err)
			}
		})
	}
}

// TestInstallForAnotherArchitecture: the node claims to have another architecture. The binary for
// that architecture indeed does not run there.
func TestInstallForAnotherArchitecture(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("the other architecture of this test is arm64")
	}
	dir := t.TempDir()
	uname := filepath.Join(dir, "uname")
	writeFile(t, uname, "#!/bin/sh\necho aarch64\n")
	s := daemon.StartSSH(t,
		daemon.SSHOptions{Setup: "chmod 755 " + uname + "; mount --bind " + uname + " $(command -v uname)"})
	n, file := node(s), filepath.Join(dir, "dpukv-linux-arm64")
	expect := func(want string) {
		t.Helper()
		_, err := Install(t.Context(), n, Binaries{Dir: dir})
		must.Fail(t, err, want)
		expectFiles(t, s.Cache)
	}
	expect("node bf: it is of the architecture arm64, this program is for amd64, and there is no " + file +
		": in dpukv's source, make it by")

	self := must.Get(os.ReadFile("/proc/self/exe"))(t)
	writeFile(t, file, string(self))
	expect("node bf: " + file + ": found a program for EM_X86_64, allowed: for EM_AARCH64")
	writeFile(t, file, "#!/bin/sh\n")
	expect("node bf: " + file + ": it is no program for Linux")

	const machine = 18 // where an ELF header has the machine
	binary.LittleEndian.PutUint16(self[machine:], uint16(elf.EM_AARCH64))
	writeFile(t, file, string(self))
	expect("node bf: the program there is for another architecture")

	writeFile(t, uname, "#!/bin/sh\necho sparc64\n")
	expect(`node bf: it is of the architecture "sparc64"; allowed: x86_64, aarch64`)
}

func TestInstallWhereNothingIsToDo(t *testing.T) {
	self := must.Get(os.Executable())(t)
	for _, tc := range []struct {
		node Node
		want string
	}{
		{Node{Via: Local}, self},
		{Node{Via: Netns, Namespace: "a"}, self},
		{Node{Via: SSH, Host: "nowhere.invalid", Binary: "/opt/dpukv"}, "/opt/dpukv"},
	} {
		if got, err := Install(t.Context(), &tc.node, Binaries{}); got != tc.want || err != nil {
			t.Errorf("%+v: found %s, %v, wanted %s", tc.node, got, err, tc.want)
		}
	}
}

// installed installs this program, and checks that the node has it and nothing else.
func installed(t *testing.T, n *Node, s *daemon.SSHServer) string {
	t.Helper()
	path, err := Install(t.Context(), n, Binaries{})
	if err != nil {
		t.Error(err)
		return ""
	}
	want, _ := os.ReadFile("/proc/self/exe")
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s has %d bytes, this program %d: %v", path, len(got), len(want), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("%s is no program: %v %v", path, info, err)
	}
	return path
}

// expectFiles expects exactly these files in a folder, which may be missing.
func expectFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	var got []string
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, path)
		}
		return nil
	})
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("found the files %q, wanted %q", got, want)
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	return must.Get(os.Stat(path))(t)
}
