package kernel

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
)

// binaryName makes a copy of this test binary play the test binary that again.sh runs. The name is
// an emulator's.
const binaryName = "qemu-test"

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == binaryName {
		os.Exit(play(os.Args[1], os.Args[2:]))
	}
	os.Exit(m.Run())
}

func play(role string, args []string) int {
	switch role {
	case "exit":
		status, _ := strconv.Atoi(args[0])
		return status
	case "signal":
		fmt.Println("ready")
		time.Sleep(time.Hour)
	case "slow": // for some looks, without a fork
		fmt.Println("=== RUN   TestX")
		time.Sleep(1500 * time.Millisecond)
		return 0
	case "hang": // in the first N of its starts
		return playHang(args[0], args[1], args[2:])
	}
	return 99
}

// playHang notes its start in dir, prints the lines, and hangs if there are at most times starts.
func playHang(dir, times string, lines []string) int {
	starts := started(dir)
	fmt.Println("=== RUN   TestX")
	for _, line := range lines {
		fmt.Println(line)
	}
	hung := 0
	if n, _ := strconv.Atoi(times); len(starts) < n {
		hung = hangingFork()
	}
	file := filepath.Join(dir, strconv.Itoa(len(starts)))
	if err := os.WriteFile(file, []byte(strconv.Itoa(hung)), 0o600); err != nil {
		return 98
	}
	if hung != 0 {
		time.Sleep(time.Hour)
	}
	return 0
}

// started tells the hung forks of a playHang's starts.
func started(dir string) (hung []int) {
	for n := 0; ; n++ {
		text, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(n)))
		if err != nil {
			return hung
		}
		pid, _ := strconv.Atoi(string(text))
		hung = append(hung, pid)
	}
}

// hangingFork forks a child that waits for a lock which nobody frees.
//
//go:norace
//go:nosplit
func hangingFork() (pid int) {
	var lock uint32
	child, _, _ := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	for child == 0 {
		syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&lock)), 0, 0, 0, 0, 0)
	}
	return int(child)
}

// command is again.sh with a test binary and its arguments.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	NeedNative(t)
	binary := filepath.Join(t.TempDir(), binaryName)
	text := must.Get(os.ReadFile(must.Get(os.Executable())(t)))(t)
	must.Do(t, os.WriteFile(binary, text, 0o700))
	cmd := exec.CommandContext(t.Context(), "./again.sh", append([]string{binary}, args...)...)
	cmd.Env = append(os.Environ(), "AGAIN_LOOK=0.3")
	return cmd
}

func TestExitStatus(t *testing.T) {
	for _, status := range []int{0, 1, 7} {
		cmd := command(t, "exit", strconv.Itoa(status))
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != status || len(out) > 0 {
			t.Errorf("found status %d and %q, want %d and nothing", got, out, status)
		}
	}
}

// TestSlowIsNotHung: tests that take several looks, and fork nothing, run once.
func TestSlowIsNotHung(t *testing.T) {
	cmd := command(t, "slow")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "=== RUN") != 1 {
		t.Errorf("found %v and %q, want one run", err, out)
	}
}

func TestSignalIsPassedOn(t *testing.T) {
	cmd := command(t, "signal")
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	must.Get(out.Read(make([]byte, len("ready"))))(t)
	must.Do(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 128+int(syscall.SIGTERM) {
		t.Errorf("found status %d, want that of SIGTERM", got)
	}
}

func TestHungFork(t *testing.T) {
	programs.Need(t, "ps")
	const failed = "the tests do not run again, because one had failed before"
	for _, test := range []struct {
		name, hangs    string
		lines          []string
		starts, status int
		says           string
	}{
		{name: "none", hangs: "0", starts: 1},
		{name: "once", hangs: "1", starts: 2, says: "in run 1 of at most 3"},
		{name: "always", hangs: "9", starts: 3, status: 1, says: "found 3 hung forks, allowed: 2;"},
		{"after a failed test", "1", []string{"--- FAIL: TestW (0.01s)"}, 1, 1, failed},
		{"the same in JSON", "1", []string{"\x16--- FAIL: TestW (0.01s)"}, 1, 1, failed},
		{"after a failed part", "1", []string{"    --- FAIL: TestW/a (0.01s)"}, 2, 0, "in run 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			cmd := command(t, append([]string{"hang", dir, test.hangs}, test.lines...)...)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			stdout, _ := cmd.Output()
			if got := cmd.ProcessState.ExitCode(); got != test.status {
				t.Errorf("found status %d, want %d", got, test.status)
			}
			starts := started(dir)
			if n := strings.Count(string(stdout), "=== RUN"); n != test.starts || len(starts) != n {
				t.Errorf("found %d starts, want %d:\n%s", len(starts), test.starts, stdout)
			}
			said := stderr.String()
			if (said == "") != (test.says == "") || !strings.Contains(said, test.says) {
				t.Errorf("found %q, want %q", said, test.says)
			}
			for _, pid := range starts {
				// A zombie executes nothing.
				if _, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); pid != 0 && err == nil {
					t.Errorf("found the hung fork %d after the end of the command", pid)
				}
			}
		})
	}
}
