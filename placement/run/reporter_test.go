package run

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// terminal opens a pair of pseudo-terminals with the given width.
func terminal(t *testing.T, columns int) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminal to test with: ", err)
	}
	t.Cleanup(func() { screen.Close() })
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip("no pseudo-terminal to test with: ", err)
	}
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminal to test with: ", err)
	}
	t.Cleanup(func() { tty.Close() })
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ,
		&unix.Winsize{Row: 24, Col: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	return screen, tty
}

func report(r *reporter) {
	s := sweep.Default()
	pt := s.Points()[0]
	r.begin(1, &pt, 90*time.Second)
	r.of("client")(&node.Progress{Phase: "preload", Done: 45, Total: 100})
	r.of("client")(&node.Progress{Phase: "measure", ThroughputOps: 4.2e6, LatencyP99Ns: 38_000})
	r.of("another")(&node.Progress{Phase: "verify"})
	r.finish(1, &results.Point{ID: "first", Status: results.StatusOK, ThroughputOps: 4.2e6}, time.Second)
	r.finish(2, &results.Point{ID: "second", Status: results.StatusFailed, Error: "node server: gone\nand more"},
		time.Second)
	r.close()
}

func TestProgressOnATerminalIsOneLine(t *testing.T) {
	const columns = 80
	screen, tty := terminal(t, columns)
	report(newReporter(tty, "27"))
	var text string
	for shown := make([]byte, 4<<10); !strings.HasSuffix(text, "more)\r\n\r\x1b[K"); {
		n, err := screen.Read(shown)
		if err != nil {
			t.Fatalf("%v after %q", err, text)
		}
		text += string(shown[:n])
	}
	for _, want := range []string{
		"[1/27] 1m30s left: mica CH-SH", "[1/27] 1m30s left, preload 45 %: mica",
		"[1/27] 1m30s left, measure 4.20 Mops, p99 38.0 µs: mica CH-SH",
		"left, another verify, client measure 4.20 Mops, p99 38.0 µs: mica",
		"[2/27] second: failed after 1s: node server: gone … (1 line more)\r\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got %q, want it to hold %q", text, want)
		}
	}
	if strings.Contains(text, "first") || strings.Contains(text, "and more") {
		t.Errorf("got %q: too much", text)
	}
	for part := range strings.SplitSeq(text, "\r\x1b[K") {
		if line, _, _ := strings.Cut(part, "\r\n"); !strings.Contains(line, "second") && len([]rune(line)) >= columns {
			t.Errorf("%q is too wide", line)
		}
	}
}

func TestProgressElsewhereIsALineAPoint(t *testing.T) {
	var b bytes.Buffer
	report(newReporter(&b, "27"))
	want := "[1/27] first: 4.20 Mops, p50 0 ns, p99 0 ns, in 1s\n" +
		"[2/27] second: failed after 1s: node server: gone … (1 line more)\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestEstimateLearnsFromThePoints(t *testing.T) {
	s := sweep.Default()
	points := s.Points()
	e := sweep.NewEstimator(points)
	all := e.Left()
	if all != sweep.Estimate(points) {
		t.Errorf("at first %v are left, want what is estimated, %v", all, sweep.Estimate(points))
	}
	e.Finished(&points[0], 2*points[0].Estimate())
	if got, want := e.Left(), 2*(all-points[0].Estimate()); got != want {
		t.Errorf("after a point that took twice as long as thought %v are left, want %v", got, want)
	}
}
