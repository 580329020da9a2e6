package bench

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/sample"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/mica"
)

// served is a running server, or a half of one.
type served struct {
	addr    string
	process *os.Process
}

// buildTool builds dpukv.
func buildTool(b *testing.B) (program string) {
	program = filepath.Join(b.TempDir(), "dpukv")
	run(b, "go", "build", "-C", "..", "-o", program, "./cmd/dpukv")
	return program
}

// compileC compiles a yardstick of testdata.
func compileC(b *testing.B, name string) (program string) {
	program = filepath.Join(b.TempDir(), name)
	run(b, "cc", "-O2", "-o", program, filepath.Join("testdata", name+".c"))
	return program
}

func run(b *testing.B, name string, args ...string) {
	b.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
}

// turns is how many turns each side of a comparison has, and how long they take.
func turns() (rounds int, period time.Duration) {
	if os.Getenv("BENCH_KEYS") != "" {
		return 1, 20 * time.Millisecond
	}
	return 5, 300 * time.Millisecond
}

// figures are what each turn of a comparison found, by unit.
type figures map[string][]float64

func (f figures) add(unit string, value float64) { f[unit] = append(f[unit], value) }

// report reports the medians of the turns.
func (f figures) report(b *testing.B) {
	for unit, values := range f {
		b.ReportMetric(sample.Median(values), unit)
	}
	b.ReportMetric(0, "ns/op")
}

func dial(b testing.TB, addr string) kvs.Remote {
	return must.Get(mica.Dial(context.Background(), addr))(b)
}

// onClient opens a session, and calls do with it on the client's CPU.
func onClient(b *testing.B, r kvs.Remote, sh shape, window int, do func(kvs.Session) error) {
	s := must.Get(r.Open(kvs.SessionOptions{
		Batch: sh.batch, Window: window, Connections: sh.connections,
	}))(b)
	defer s.Close()
	onClientCPU(b, func() error { return do(s) })
}

// onClientCPU calls do on a thread of its own, on the client's CPU.
func onClientCPU(b *testing.B, do func() error) {
	done := make(chan error, 1)
	go func() {
		defer close(done) // where do ended the benchmark
		err := cpu.PinThread(clientCPU)
		if err == nil {
			err = do()
		}
		done <- err
	}()
	must.Do(b, <-done)
}
