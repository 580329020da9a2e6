package guest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"dpukv/internal/foreign"
)

//go:embed init.sh
var initScript string

// Job is a script for a guest without a network of its own.
type Job struct {
	Kernel string
	Script string            // for /bin/sh, as root
	Shares map[string]string // this machine's folders, writable in the guest, by name in /dev/shm
}

// memory is the guest's memory: Open vSwitch, stores and their keys.
const memory = "mem=1536M"

var jobEnded = regexp.MustCompile(`(?m)^guest: job ended with status (\d+)\r?$`)

// Run boots a guest, runs the job, and waits for the guest's end. The job's output goes to console.
// Run fails if the job fails or does not end.
func (j *Job) Run(ctx context.Context, console io.Writer) error {
	dir, err := os.MkdirTemp("", "guest")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := errors.Join(
		//nolint:gosec // it is to be run
		os.WriteFile(filepath.Join(dir, "init"), []byte(initScript), 0o700),
		os.WriteFile(filepath.Join(dir, "job"), []byte(j.script()), 0o600)); err != nil {
		return err
	}
	// A process namespace ends all of the guest's processes with it. Its first process is a shell:
	// a kernel that panics aborts, which the first process of a namespace cannot. It would try for
	// ever.
	cmd := exec.CommandContext(ctx, "unshare", "--pid", "--mount-proc", "--fork", "--kill-child",
		"sh", "-c", `"$@"; exit $?`, "sh",
		j.Kernel, memory, "uml_dir="+dir+"/", "root=/dev/root", "rootfstype=hostfs", "rootflags=/",
		"ro", "init="+filepath.Join(dir, "init"),
		"con=null", "con0=fd:0,fd:1", "ssl=null", "quiet", "job="+filepath.Join(dir, "job"))
	// the guest's memory is an unlinked file there
	cmd.Env = append(os.Environ(), "TMPDIR=/dev/shm")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	said := &foreign.Tail{}
	cmd.Stdout = io.MultiWriter(said, console)
	err = cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	switch status := jobEnded.FindStringSubmatch(said.String()); {
	case status == nil && err == nil:
		return errors.New("the guest ended, and its job did not")
	case status == nil:
		return fmt.Errorf("the guest ended, and its job did not: %w", err)
	case status[1] != "0":
		return fmt.Errorf("the guest's job ended with status %s", status[1])
	}
	return nil
}

// script is the job's script after the commands that mount its shares.
func (j *Job) script() string {
	var b strings.Builder
	b.WriteString("set -e\n")
	for name, dir := range j.Shares {
		fmt.Fprintf(&b, "mkdir /dev/shm/%s && mount -t hostfs none /dev/shm/%s -o '%s'\n", name,
			name, dir)
	}
	b.WriteString("mount -t tmpfs tmp /tmp\n") // the C library's temporary files
	return b.String() + j.Script
}
