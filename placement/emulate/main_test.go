package emulate

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
)

// owner is the path of the program in testdata/owner.
var owner string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "emulate-test-")
	if err != nil {
		panic(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // other users run it too
		panic(err)
	}
	owner = filepath.Join(dir, "owner")
	out, err := exec.Command("go", "build", "-o", owner, "./testdata/owner").CombinedOutput()
	if err != nil {
		fmt.Printf("build testdata/owner: %v\n%s", err, out)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// needRoot skips a test that needs more than a user's rights.
func needRoot(t *testing.T) {
	t.Helper()
	if !mayMakeNamespaces() {
		t.Skip("not root: no namespaces were made")
	}
}

// needLab skips a test that needs a lab.
func needLab(t *testing.T) {
	t.Helper()
	needRoot(t)
	kernel.NeedEthtool(t)
}

// study returns the study's testbed.
func study(profile string) Spec {
	return Spec{Machines: []Machine{
		{Name: "host-a", Kind: Host},
		{Name: "dpu-a", Kind: DPU, Of: "host-a", Profile: profile},
		{Name: "host-b", Kind: Host},
		{Name: "dpu-b", Kind: DPU, Of: "host-b", Profile: profile},
	}}
}

func startLab(t *testing.T, spec Spec) *Lab {
	t.Helper()
	needLab(t)
	spec.Keeper = []string{owner, "lab"}
	return must.Keep(Start(t.Context(), spec))(t)
}

// on runs f on a thread in a machine's network namespace. Sockets that f makes stay there for good.
func on(t *testing.T, l *Lab, machine string, f func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine, but for the first one
		if unix.Gettid() == unix.Getpid() {
			defer runtime.UnlockOSThread()
			on(t, l, machine, f)
			done <- nil
			return
		}
		path, err := l.Namespace(machine)
		if err != nil {
			done <- err
			return
		}
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err == nil {
			defer unix.Close(fd)
			err = unix.Setns(fd, unix.CLONE_NEWNET)
		}
		if err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// command runs argv on a machine as the orchestrator does.
func command(t *testing.T, l *Lab, machine string, argv ...string) *exec.Cmd {
	t.Helper()
	full := must.Get(l.Argv(machine, argv))(t)
	return exec.Command(full[0], full[1:]...)
}
