//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/verbs"
)

// rigged skips a test unless the machine has a defect that package guest makes and names.
func rigged(t *testing.T, defect string) {
	t.Helper()
	if os.Getenv("IBVERBS_RIGGED") != defect {
		t.Skip("needs a machine with " + defect + ": make test-rdma")
	}
}

// TestRiggedPortDown checks a machine whose network device below the only port is down.
func TestRiggedPortDown(t *testing.T) {
	rigged(t, "port-down")
	d, err := Open(Config{GIDIndex: AutoGID})
	if err == nil {
		port, _ := d.Port()
		t.Fatalf("opened %+v", port)
	}
	for _, want := range []string{"found port 1 down, allowed: active", "ip link set"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, which does not say %q", err, want)
		}
	}
}

// TestRiggedPortGoesDown, and comes up again, under an open device, which tells.
func TestRiggedPortGoesDown(t *testing.T) {
	rigged(t, "link-dummy0")
	d := open(t)
	checkTold(t, d, "down", verbs.Event{Kind: "port 1 went down", Serious: true})
	checkTold(t, d, "up", verbs.Event{Kind: "port 1 came up"})
}

// checkTold sets the link and waits until the device tells.
func checkTold(t *testing.T, d verbs.Device, state string, want verbs.Event) {
	t.Helper()
	since := time.Now()
	if out, err := exec.Command("ip", "link", "set", "dummy0", state).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		events := d.Events(since)
		if slices.ContainsFunc(events, func(e verbs.Event) bool {
			return e.Kind == want.Kind && e.Serious == want.Serious
		}) {
			t.Logf("%+v", events)
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("link %s: found %+v, want %+v", state, events, want)
		}
	}
}

// TestRiggedNoDriver checks a machine whose libibverbs lacks the drivers of the kernel's devices.
func TestRiggedNoDriver(t *testing.T) {
	rigged(t, "no-driver")
	checkUnseen(t)
}

// TestRiggedNoFile checks a container without /dev/infiniband. libibverbs then lists nothing.
func TestRiggedNoFile(t *testing.T) {
	rigged(t, "no-file")
	checkUnseen(t)
}

func checkUnseen(t *testing.T) {
	err := Probe()
	if !errors.Is(err, verbs.ErrNotSupported) {
		t.Fatalf("found %v, want ErrNotSupported", err)
	}
	for _, want := range []string{"the kernel has rxe0", "ibverbs-providers", "/dev/infiniband"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, which does not say %q", err, want)
		}
	}
}
