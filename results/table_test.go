package results

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// golden compares what was written with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (if that is meant: go test -update):\ngot\n%s\nwant\n%s", path, got, want)
	}
}

// openLoopPoints is one configuration under rising offered rates.
func openLoopPoints() []Point {
	var points []Point
	for _, rate := range []float64{1e5, 5e5, 1e6} {
		points = append(points, testPoint(func(p *Point) {
			p.RateOps, p.ThroughputOps = rate, rate
			p.Latency, p.Actual = testLatency(2e4+rate/20), testLatency(2e4+rate/25)
			if rate == 1e6 {
				p.ThroughputOps, p.LateOps, p.UnsentOps = 0.91e6, 5000, 445_000
				p.Warnings = []string{"target rate missed: 910000 of 1000000 operations a second were answered"}
			}
		}))
	}
	return points
}

func TestTableGolden(t *testing.T) {
	var alikeWarnings []Point
	for i, w := range []string{"busy for 91 % of the time", "busy for 99.5 % of the time", "too short for p99.9", "busy for 91 % of the time"} {
		alikeWarnings = append(alikeWarnings, testPoint(func(p *Point) { p.Repeat, p.Warnings = i+1, []string{w} }))
	}
	mixed := []Point{
		testPoint(func(p *Point) { p.Store, p.Placement, p.Submode, p.GetRatio = "herd", "CH-SH", "off-path", 1 }),
		testPoint(func(p *Point) { p.Placement, p.Submode, p.Repeat = "CH-SH", "sm1", 1 }),
		testPoint(func(p *Point) { p.Placement, p.Submode, p.Repeat, p.ThroughputOps = "CH-SH", "sm1", 2, 1.6e6 }),
		testPoint(func(p *Point) { p.GetRatio, p.Submode, p.Errors, p.Timeouts = 0, "sm5", 3, 1 }),
	}
	for name, points := range map[string][]Point{
		"local":        localPoints(),
		"openloop":     openLoopPoints(),
		"mixed":        mixed,
		"warnings":     alikeWarnings,
		"failedonly":   {testPoint(failed("ssh: connect to host bf3:\nconnection refused\n"))},
		"empty":        nil,
		"single-point": {testPoint()},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := WriteTable(&b, points); err != nil {
				t.Fatal(err)
			}
			golden(t, "table-"+name+".golden", b.Bytes())
		})
	}
}

func TestPointGolden(t *testing.T) {
	open := openLoopPoints()
	notPlaced := testPoint(func(p *Point) {
		p.Placement, p.Submode, p.ServerCPUs, p.ClientCPUs, p.Evicted = "", "", nil, []int{0, 1, 2, 5}, 7
	})
	atOnce := testPoint()
	broken := testPoint(failed("the connection was closed by the server"), func(p *Point) { p.Errors = 3 })
	for name, p := range map[string]*Point{
		"open":       &open[2],
		"not-placed": &notPlaced,
		"failed":     failedOnly(&atOnce),
		"broken":     &broken,
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := WritePoint(&b, p); err != nil {
				t.Fatal(err)
			}
			golden(t, "point-"+name+".golden", b.Bytes())
		})
	}
}

func TestTableColumnsAlign(t *testing.T) {
	var b bytes.Buffer
	if err := WriteTable(&b, localPoints()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines[:12] {
		if got, want := len([]rune(line)), len([]rune(lines[0])); got != want && i != 1 {
			t.Errorf("line %d is %d characters wide, the head %d:\n%s", i+1, got, want, line)
		}
	}
}

func TestDigits3(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.000123456: "0.000123", 0.04567: "0.0457", 0.5: "0.500", 1: "1.00", 9.996: "10.00", 12.345: "12.3", 812.4: "812", 15234: "15234",
	} {
		if got := digits3(x); got != want {
			t.Errorf("digits3(%v) = %s, want %s", x, got, want)
		}
	}
}
