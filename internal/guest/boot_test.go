package guest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// TestJobEnded: init.sh reports the job's end in the words that Run waits for.
func TestJobEnded(t *testing.T) {
	script, _, _ := strings.Cut(initScript, "/bin/busybox poweroff")
	finish := script[strings.LastIndex(script, "printf"):]
	out := must.Get(exec.CommandContext(t.Context(), "sh", "-c", "(exit 3); "+finish).Output())(t)
	if status := jobEnded.FindSubmatch(out); status == nil || string(status[1]) != "3" {
		t.Errorf("found %q, want the end of a job with status 3", out)
	}
}

// TestPanicEndsGuest: a kernel that panics aborts, as often as it takes.
func TestPanicEndsGuest(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, who may make namespaces")
	}
	kernel := filepath.Join(t.TempDir(), "kernel")
	//nolint:gosec // it is to be run
	must.Do(t, os.WriteFile(kernel, []byte("#!/bin/sh\nwhile :; do kill -ABRT $$; done\n"), 0o700))
	err := (&Job{Kernel: kernel}).Run(t.Context(), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "its job did not") {
		t.Errorf("found %v", err)
	}
}
