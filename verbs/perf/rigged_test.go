package perf

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"dpukv/verbs"
)

// TestRiggedPortGoesDown takes the network device below an RDMA device down while it is measured. Package guest has a machine where
// that does no harm.
func TestRiggedPortGoesDown(t *testing.T) {
	link := os.Getenv("PERF_LINK")
	if link == "" {
		t.Skip("needs a machine whose link may go down: make test-rdma")
	}
	dev := openDevice(t, "ibverbs")
	cfg := small(Latency, Write, verbs.UC)
	cfg.Sizes, cfg.Duration = []int{64}, time.Second
	report, err := Loopback(t.Context(), dev, cfg, Observer{Connected: func(*Header) {
		time.AfterFunc(cfg.Duration/4, func() {
			if out, err := exec.Command("ip", "link", "set", link, "down").CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}})
	t.Logf("%+v, %v", report, err)
	const want = "the device said: port 1 went down "
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("found %v, want one with %q", err, want)
	}
}
