package guest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"dpukv/internal/infile"
)

// Sweep is "dpukv sweep" within the guest.
type Sweep struct {
	Binary string            // dpukv
	Files  map[string]string // by flag: "--file", "--testbed"
	Flags  []string          // others
	Dir    string            // the run folder, here
}

// awaitOVS waits at the start of a job that uses Open vSwitch. Open vSwitch counts the CPUs for its
// handlers of unknown flows every 10 s, but not in the machine's first 10 s (count_cpu_cores in
// lib/ovs-thread.c). Until then it has no handlers, and every first packet is lost.
const awaitOVS = `while test "$(cut -d. -f1 /proc/uptime)" -lt 11; do sleep 0.5; done
`

const (
	sweepScript = awaitOVS + `exec /dev/shm/work/dpukv sweep --out /dev/shm/run %s >/dev/shm/work/stdout
`
	// plainScript hides the guest's terminal from dpukv, which would rewrite one progress line over
	// and over.
	plainScript = awaitOVS + `
{ status=0
/dev/shm/work/dpukv sweep --out /dev/shm/run %s 2>&1 >/dev/shm/work/stdout || status=$?
echo "$status" >/dev/shm/work/status; } | cat
exit "$(cat /dev/shm/work/status)"
`
)

// Run boots a guest and lets it measure into the run folder on this machine. As without a guest,
// progress goes to stderr; the table and the folder's path go to stdout.
func (s *Sweep) Run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	kernel, err := Kernel(ctx, stderr)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "guest")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return err
	}
	if strings.Contains(dir, "'") {
		return fmt.Errorf("found the run folder %s, allowed with a guest: a name without quotes",
			dir)
	}
	flags, err := s.share(work)
	if err = errors.Join(err, os.MkdirAll(dir, 0o777)); err != nil {
		return err
	}
	script := plainScript
	if isTerminal(stderr) {
		script = sweepScript
	}
	job := Job{
		Kernel: kernel, Script: fmt.Sprintf(script, flags),
		Shares: map[string]string{"work": work, "run": dir},
	}
	err = job.Run(ctx, stderr)
	said, readErr := os.ReadFile(filepath.Join(work, "stdout"))
	if readErr == nil {
		_, readErr = stdout.Write(bytes.ReplaceAll(said, []byte("/dev/shm/run"), []byte(s.Dir)))
	}
	return errors.Join(err, readErr)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// share copies the guest's input files into the shared folder, and returns the flags that name them
// there.
func (s *Sweep) share(work string) (flags string, err error) {
	if err := copyFile(filepath.Join(work, "dpukv"), s.Binary, 0o755); err != nil {
		return "", err
	}
	var words []string
	for flag, file := range s.Files {
		if file == "" {
			continue
		}
		name := strings.TrimLeft(flag, "-") + ".yaml"
		if err := copyFile(filepath.Join(work, name), file, 0o644); err != nil {
			return "", err
		}
		words = append(words, flag, "/dev/shm/work/"+name)
	}
	for _, w := range append(words, s.Flags...) {
		flags += " '" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return flags, nil
}

// maxSharedBytes is far beyond this binary, the largest of the files.
const maxSharedBytes = 1 << 30

func copyFile(to, from string, mode os.FileMode) error {
	data, err := infile.Read(from, maxSharedBytes)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, mode)
}
