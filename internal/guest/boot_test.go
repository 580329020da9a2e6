package guest

import (
	"os/exec"
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
