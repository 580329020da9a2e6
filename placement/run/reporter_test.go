package run

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/internal/test/pty"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// report reports two points. It calls between after each step.
func report(r *reporter, between func()) {
	s := sweep.Default()
	pt := s.Points()[0]
	r.begin(1, &pt, 90*time.Second)
	r.Does("start the processes")
	between()
	r.Of("client")(&node.Progress{Phase: "preload", Done: 45, Total: 100})
	between()
	r.Of("client")(&node.Progress{Phase: "measure"})
	between()
	r.Of("client")(&node.Progress{Phase: "measure", ThroughputOps: 4.2e6, LatencyP99Ns: 38_000})
	r.Of("another")(&node.Progress{Phase: "verify"})
	between()
	r.finish(1, &results.Point{
		Identity: results.Identity{ID: "first", Status: results.StatusOK},
		Counted:  results.Counted{ThroughputOps: 4.2e6},
	}, time.Second)
	r.finish(2, &results.Point{
		Identity: results.Identity{
			ID: "second", Status: results.StatusFailed,
			Error: "node server: gone\nand more",
		},
	},
		time.Second)
	r.close()
}

func TestProgressOnATerminalIsOneLine(t *testing.T) {
	const columns = 80
	screen, tty := pty.Open(t, columns)
	report(newReporter(tty, "27"), func() {})
	var text string
	for shown := make([]byte, 4<<10); !strings.HasSuffix(text, "more)\r\n\r\x1b[K"); {
		n, err := screen.Read(shown)
		if err != nil {
			t.Fatalf("%v after %q", err, text)
		}
		text += string(shown[:n])
	}
	must.Contain(t, text,
		"[1/27] 1m30s left: mica CH-SH", "[1/27] 1m30s left, start the processes: mica",
		"[1/27] 1m30s left, preload 45 %: mica", "[1/27] 1m30s left, warm-up: mica",
		"[1/27] 1m30s left, measure 4.20 Mops, p99 38.0 µs: mica CH-SH",
		"left, another verify, client measure 4.20 Mops, p99 38.0 µs: mica",
		"[2/27] second: failed after 1 s: node server: gone … (1 line more)\r\n")
	if strings.Contains(text, "first") || strings.Contains(text, "and more") {
		t.Errorf("got %q: too much", text)
	}
	for part := range strings.SplitSeq(text, "\r\x1b[K") {
		if line, _, _ := strings.Cut(part, "\r\n"); !strings.Contains(line, "second") && len([]rune(line)) >= columns {
			t.Errorf("%q is too wide", line)
		}
	}
}

func TestProgressElsewhereIsLines(t *testing.T) {
	var b bytes.Buffer
	r := newReporter(&b, "27")
	report(r, r.beat)
	r = newReporter(&b, "27")
	r.beat() // between points there is nothing to tell
	r.close()
	want := `[1/27] 1m30s left: mica CH-SH 100 % GET, 1 server and 4 client threads, closed loop
[1/27] start the processes
[1/27] preload 45 %
[1/27] warm-up
[1/27] another verify, client measure 4.20 Mops, p99 38.0 µs
[1/27] first: 4.20 Mops, p50 0 ns, p99 0 ns, in 1 s
[2/27] second: failed after 1 s: node server: gone … (1 line more)
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
