package foreign

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// TestOutputEndsACommand: Output ends a command that writes without end.
func TestOutputEndsACommand(t *testing.T) {
	var out Output
	cmd := exec.Command("cat", "/dev/zero")
	cmd.Stdout = &out
	if err := cmd.Run(); err == nil {
		t.Error("it ended well")
	}
	if err := out.Err(); err == nil || !strings.Contains(err.Error(), "allowed: at most 16777216 bytes") {
		t.Errorf("got %v", err)
	}
	if n := len(out.Bytes()); n > MaxOutput {
		t.Errorf("kept %d bytes", n)
	}
}

func TestTailKeepsTheLast(t *testing.T) {
	var tail Tail
	for range 100 {
		_, _ = tail.Write([]byte(strings.Repeat("x", 1000)))
	}
	_, _ = tail.Write([]byte(strings.Repeat("y", 10*maxTail) + "z"))
	if n, err := tail.Write([]byte("end")); n != 3 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	// all that came before the last 64 KiB
	want := fmt.Sprintf("(%d bytes left out) … y", 100*1000+10*maxTail+1+3-maxTail)
	if got := tail.Shown(); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "yzend") {
		t.Errorf("shown: %.60q, want %q", got, want)
	}
	if got := tail.String(); len(got) != maxTail || !strings.HasSuffix(got, "yzend") {
		t.Errorf("kept %d bytes that end in %.10q", len(got), got[len(got)-10:])
	}
}
