//go:build ibverbs && linux

package ibverbs

import (
	"errors"
	"os"
	"strings"
	"testing"

	"dpukv/verbs"
)

// rigged skips a test that needs a machine with a defect, which package rdmavm makes and names.
func rigged(t *testing.T, defect string) {
	t.Helper()
	if os.Getenv("IBVERBS_RIGGED") != defect {
		t.Skip("needs a machine with " + defect + ": make test-rdma")
	}
}

// TestRiggedPortDown: the network device below the only port is down.
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

// TestRiggedNoDriver: libibverbs has lost the drivers of the devices that the kernel has.
func TestRiggedNoDriver(t *testing.T) {
	rigged(t, "no-driver")
	checkUnseen(t)
}

// TestRiggedNoFile: a container that was not given /dev/infiniband. libibverbs then lists nothing.
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
