package main

import (
	"errors"
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

	"dpukv/internal/test/kernel"
)

// Two roles of this test binary, beside that of a test: the command, and a test binary that the
// command runs. The name of the latter is that of an emulator.
const (
	commandRole = "EMULATED_COMMAND"
	binaryName  = "qemu-test"
)

func TestMain(m *testing.M) {
	switch {
	case filepath.Base(os.Args[0]) == binaryName:
		os.Exit(play(os.Args[1], os.Args[2:]))
	case os.Getenv(commandRole) != "":
		main()
	}
	os.Exit(m.Run())
}

// play is the test binary that the command runs.
func play(role string, args []string) int {
	switch role {
	case "exit":
		status, _ := strconv.Atoi(args[0])
		return status
	case "signal":
		fmt.Println("ready")
		time.Sleep(time.Hour)
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
	fmt.Println("--- PASS: TestX")
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

// command is the command with a test binary and its arguments.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	kernel.NeedNative(t) // an emulator need not let the command adopt orphans
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), binaryName)
	if err := os.WriteFile(binary, text, 0o700); err != nil {
		t.Fatal(err)
	}
	argv := append([]string{"-after", "500ms", binary}, args...)
	cmd := exec.CommandContext(t.Context(), self, argv...)
	cmd.Env = append(os.Environ(), commandRole+"=1")
	return cmd
}

// statusOf is the exit status by the error of Wait.
func statusOf(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return 0
}

func TestExitStatus(t *testing.T) {
	for _, status := range []int{0, 1, 7} {
		out, err := command(t, "exit", strconv.Itoa(status)).CombinedOutput()
		if got := statusOf(t, err); got != status || len(out) > 0 {
			t.Errorf("found status %d and %q, want %d and nothing", got, out, status)
		}
	}
}

func TestSignalIsPassedOn(t *testing.T) {
	cmd := command(t, "signal")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, len("ready"))); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := statusOf(t, cmd.Wait()); got != 128+int(syscall.SIGTERM) {
		t.Errorf("found status %d, want that of SIGTERM", got)
	}
}

func TestHungFork(t *testing.T) {
	const again1, again2 = "the tests run again (1 of 2)", "the tests run again (2 of 2)"
	for _, test := range []struct {
		name, hangs    string
		lines          []string
		starts, status int
		says           []string
	}{
		{name: "none", hangs: "0", starts: 1},
		{name: "once", hangs: "1", starts: 2, says: []string{again1}},
		{
			name: "always", hangs: "9", starts: 3, status: 1,
			says: []string{again1, again2, "found 3 hung forks of qemu-user, allowed: 2;"},
		},
		{
			name: "after a failed test", hangs: "1", lines: []string{"--- FAIL: TestW (0.01s)"},
			starts: 1, status: 1,
			says: []string{"the tests do not run again, because one had failed before"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			cmd := command(t, append([]string{"hang", dir, test.hangs}, test.lines...)...)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			stdout, err := cmd.Output()
			if got := statusOf(t, err); got != test.status {
				t.Errorf("found status %d, want %d", got, test.status)
			}
			starts := started(dir)
			if n := strings.Count(string(stdout), "=== RUN"); n != test.starts || len(starts) != n {
				t.Errorf("found %d starts, want %d:\n%s", len(starts), test.starts, stdout)
			}
			said := strings.FieldsFunc(stderr.String(), func(r rune) bool { return r == '\n' })
			if len(said) != len(test.says) {
				t.Fatalf("found %q, want %q", said, test.says)
			}
			for i, want := range test.says {
				if !strings.HasPrefix(said[i], "emulated: "+binaryName) || !strings.Contains(said[i], want) {
					t.Errorf("found %q, want %q", said[i], want)
				}
			}
			for _, pid := range starts {
				if pid != 0 && syscall.Kill(pid, 0) == nil {
					t.Errorf("found the hung fork %d after the end of the command", pid)
				}
			}
		})
	}
}
