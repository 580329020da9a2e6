package client

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"dpukv/internal/killed"
	"dpukv/internal/test/kernel"
)

// observed is a remote that always has an observation, and counts the questions for it.
type observed struct {
	*fakeRemote
	begun time.Time
	asked int
}

func (o *observed) Events(since time.Time) string {
	if o.asked++; since.Before(o.begun) {
		return "what came before the run"
	}
	return "the device said: port 1 went down"
}

func (o *observed) Warnings(since time.Time) []string { return []string{"a warning"} }

func TestFailureTellsWhatWasHeard(t *testing.T) {
	r := &observed{fakeRemote: newFakeRemote(), begun: time.Now()}
	leakFree(t, r.fakeRemote)
	r.faults.dropAt = testKeys + 100
	cfg := smallLoad(t)
	cfg.Timeout = kernel.Timeout(100 * time.Millisecond)
	res := mustFail(t, r, cfg, "no answer within ", "; the device said: port 1 went down")
	if res.Point.Timeouts == 0 {
		t.Error("no time-outs counted")
	}
}

// TestServerOutOfMemory: the kernel kills a server beside this client, and the server cannot say
// so. The kernel's count says it instead.
func TestServerOutOfMemory(t *testing.T) {
	if !killed.Now().Known {
		t.Skip("this kernel does not count what it kills for lack of memory")
	}
	group := kernel.MemoryGroup(t, 32<<20)
	r := newFakeRemote()
	leakFree(t, r)
	r.faults.dieAt = 2*testKeys + 1000
	cfg := smallLoad(t)
	cfg.SameHost = true
	cfg.OnReady = func(context.Context, float64) error {
		err := exec.Command("sh", "-c", `echo $$ >"$1"/cgroup.procs && exec tail /dev/zero`, "sh", group).Run()
		if !killed.By(err) {
			t.Errorf("what was to be short of memory ended with %v", err)
		}
		return nil
	}
	mustFail(t, r, cfg, errDead.Error(), "; the kernel of this machine killed ", "for lack of memory")
}

func TestWarningsOfARemote(t *testing.T) {
	r := &observed{fakeRemote: newFakeRemote()}
	leakFree(t, r.fakeRemote)
	if p := mustRun(t, r, periodLoad(t)).Point; !strings.Contains(p.Warnings.String(), "a warning") || r.asked > 0 {
		t.Errorf("warnings %q, asked for a failure's cause %d times", p.Warnings, r.asked)
	}
}

// TestCancelDoesNotAsk: a caller that cancels does not wait for a server that may be gone.
func TestCancelDoesNotAsk(t *testing.T) {
	r := &observed{fakeRemote: newFakeRemote()}
	leakFree(t, r.fakeRemote)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, r, smallLoad(t))
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "said") || r.asked > 0 {
		t.Errorf("asked %d times: %v", r.asked, err)
	}
}
