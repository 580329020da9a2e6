package kernel

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/machine"
	"dpukv/internal/test/must"

	"golang.org/x/sys/unix"
)

// NeedEthtool skips a test that sets a network interface's offloads. Emulated machines do so with
// every cable.
func NeedEthtool(t testing.TB) {
	t.Helper()
	socket := must.Get(unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0))(t)
	defer unix.Close(socket)
	if _, err := unix.IoctlGetEthtoolDrvinfo(socket, "lo"); errors.Is(err, unix.ENOSYS) {
		t.Skipf("needs ethtool's ioctl, for cables between emulated machines: %v%s", err,
			emulated())
	}
}

// NeedClone skips a test that starts processes right into namespaces of their own.
func NeedClone(t testing.TB) {
	t.Helper()
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	// A lack of permission is another matter.
	if err := cmd.Run(); errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("needs clone into new namespaces: %v%s", err, emulated())
	}
}

// NeedBPF skips a test that loads eBPF programs.
func NeedBPF(t testing.TB) {
	t.Helper()
	const noCommand = ^uintptr(0)
	if _, _, errno := unix.Syscall(unix.SYS_BPF, noCommand, 0, 0); errno == unix.ENOSYS {
		t.Skipf("needs eBPF: %v%s", errno, emulated())
	}
}

func emulated() string {
	if how := machine.Emulator(); how != "" {
		return " (an emulator, " + how + ")"
	}
	return ""
}

// slowdown is the factor by which an emulator starts a process more slowly on a busy machine.
const slowdown = 5

// Timeout is a test's limit for another process: d, and longer under an emulator.
func Timeout(d time.Duration) time.Duration {
	if machine.Emulator() != "" {
		return slowdown * d
	}
	return d
}

// NeedTCPInfo skips a test of the kernel's counters of a socket, which an emulator does not pass
// on.
func NeedTCPInfo(t testing.TB) {
	t.Helper()
	if how := emulated(); how != "" {
		t.Skipf("needs the kernel's TCP_INFO%s", how)
	}
}

// NeedAdvice skips a test of what madvise does, which an emulator may take and ignore.
func NeedAdvice(t testing.TB) {
	t.Helper()
	if how := emulated(); how != "" {
		t.Skipf("needs madvise to do what it says%s", how)
	}
}

// NeedNative skips a test that mixes programs of the machine with its own process, which an
// emulator runs on another architecture.
func NeedNative(t testing.TB) {
	t.Helper()
	if how := emulated(); how != "" {
		t.Skipf("needs a process of the machine's architecture%s", how)
	}
}
