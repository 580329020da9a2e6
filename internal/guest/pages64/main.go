package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

func main() {
	status := 0
	if err := job(); err != nil {
		fmt.Println("guest:", err)
		status = 1
	}
	fmt.Printf("\nguest: job ended with status %d\n", status)
	unix.Sync()
	fmt.Println(unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)) // returns only with an error
}

func job() error {
	if err := errors.Join(mounts(), loopback(), os.Chdir("/tmp")); err != nil {
		return err
	}
	binaries, err := filepath.Glob("/tests/*.test")
	if err != nil {
		return err
	}
	failed := 0
	for _, binary := range binaries {
		name := strings.TrimSuffix(filepath.Base(binary), ".test")
		fmt.Println("\nguest: tests of", name)
		//nolint:gosec // it is to be run
		cmd := exec.Command(binary, "-test.short", "-test.v=test2json", "-test.timeout=900s")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			fmt.Println("guest:", name, err)
			failed++
		}
	}
	if failed > 0 || len(binaries) == 0 {
		return fmt.Errorf("found %d of %d test binaries that failed", failed, len(binaries))
	}
	return nil
}

func mounts() (err error) {
	for _, m := range []struct{ fstype, at string }{
		{"proc", "/proc"},
		{"sysfs", "/sys"},
		{"devtmpfs", "/dev"},
		{"tmpfs", "/dev/shm"},
		{"tmpfs", "/tmp"},
	} {
		if e := os.MkdirAll(m.at, 0o755); e != nil { //nolint:gosec // as on every machine
			err = errors.Join(err, e)
		} else if e := unix.Mount(m.fstype, m.at, m.fstype, 0, ""); e != nil {
			err = errors.Join(err, fmt.Errorf("mount %s at %s: %w", m.fstype, m.at, e))
		}
	}
	return err
}

// loopback takes the loopback interface up. The kernel gives it its address then.
func loopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("lo up: %w", err)
	}
	defer unix.Close(socket)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("lo up: %w", err)
	}
	lo.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, lo); err != nil {
		return fmt.Errorf("lo up: %w", err)
	}
	return nil
}
