package rdma

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/probe"
	"dpukv/verbs"
	"dpukv/verbs/ibverbs"
)

// beside is a measurement of perftest and of the kind: perftest's column, and the kind's figure in its unit.
type beside struct {
	test, op, bytes, program string
	iters                    string
	column                   int
	figure                   string
	unit                     float64
}

// The columns of perftest 4.5 for a number of iterations.
const (
	columnTypical = 4 // µs
	columnAverage = 3 // MiB/s
)

func besides() (list []beside) {
	for _, op := range []string{"write", "read", "send"} {
		list = append(list,
			beside{testLatency, op, "64", "ib_" + op + "_lat", "100", columnTypical, "p50_latency_ns", 1e3},
			beside{testBandwidth, op, "4096", "ib_" + op + "_bw", "500", columnAverage, "bytes_per_s", 1 << 20})
	}
	return list
}

// TestBesidePerftest measures one device with perftest and with the kind, and prints the ratio. Both
// ends are on this machine.
func TestBesidePerftest(t *testing.T) {
	device := rdmaDevice(t)
	for i, b := range besides() {
		t.Run(strings.Join([]string{b.test, b.op, b.bytes}, " "), func(t *testing.T) {
			ours := b.kind(t, device)
			theirs := b.perftest(t, device, 18600+i)
			if !(ours > 0) {
				t.Fatalf("found %v", ours)
			}
			// perftest prints 0 or inf where the machine was too busy to measure the frequency of its clock.
			if !(theirs > 0) || math.IsInf(theirs, 0) {
				t.Logf("%s: dpukv %.4g; %s could not measure the frequency of its clock", b.figure, ours, b.program)
				return
			}
			t.Logf("%s: dpukv %.4g, %s %.4g, ratio %.2f", b.figure, ours, b.program, theirs, ours/theirs)
		})
	}
}

// rdmaDevice is the machine's RDMA device. $PERFTEST_REQUIRE makes a missing one a failure.
func rdmaDevice(t *testing.T) kvs.Device {
	t.Helper()
	_, missing := exec.LookPath("ib_write_lat")
	names, err := ibverbs.Devices()
	if err := cmp.Or(err, missing); err != nil && os.Getenv("PERFTEST_REQUIRE") != "" {
		t.Fatal(err)
	} else if err != nil {
		t.Skip("needs an RDMA device and perftest: make test-rdma")
	}
	d := kvs.Device{Name: "ibverbs:" + names[0], Options: verbs.Options{GIDIndex: ibverbs.AutoGID}}
	dev := must.Get(open(&d))(t)
	port := must.Get(dev.Port())(t)
	d.GIDIndex = port.GIDIndex
	must.Do(t, dev.Close())
	return d
}

// perftest runs both ends of a program, and returns its value in the figure's unit.
func (b *beside) perftest(t *testing.T, d kvs.Device, port int) float64 {
	t.Helper()
	args := []string{
		"-d", strings.TrimPrefix(d.Name, "ibverbs:"), "-x", strconv.Itoa(d.GIDIndex), "-s", b.bytes,
		"-n", b.iters, "-F", "-p", strconv.Itoa(port),
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var said bytes.Buffer
	server := exec.CommandContext(ctx, b.program, args...)
	server.Stdout, server.Stderr = &said, &said
	must.Do(t, server.Start())
	var out []byte
	var err error
	for { // until the server listens
		out, err = exec.CommandContext(ctx, b.program, append(slices.Clone(args), "127.0.0.1")...).CombinedOutput()
		if err == nil || ctx.Err() != nil || !bytes.Contains(out, []byte("Couldn't connect")) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		stop()
		_ = server.Wait()
		t.Fatalf("%s: %v\n%s\nits server: %s", b.program, err, out, said.String())
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server of %s: %v\n%s", b.program, err, said.String())
	}
	return b.parse(t, string(out))
}

// parse reads perftest's only line of numbers.
func (b *beside) parse(t *testing.T, out string) float64 {
	t.Helper()
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) <= b.column || fields[0] != b.bytes {
			continue
		}
		if x, err := strconv.ParseFloat(fields[b.column], 64); err == nil {
			return x * b.unit
		}
	}
	t.Fatalf("%s printed no line of %s bytes:\n%s", b.program, b.bytes, out)
	return 0
}

// kind measures the same with the kind.
func (b *beside) kind(t *testing.T, d kvs.Device) float64 {
	t.Helper()
	task := &probe.Task{
		Settings: Kind.All(map[string][]string{axisTest: {b.test}, axisOp: {b.op}, axisBytes: {b.bytes}})[0],
		Device:   d, Listen: "127.0.0.1:0", Warmup: 100 * time.Millisecond, Duration: 500 * time.Millisecond,
	}
	srv := must.Get(Kind.Serve(t.Context(), task))(t)
	task.Addr = srv.Addr()
	out := must.Get(Kind.Measure(t.Context(), task))(t)
	if err := srv.Close(); err != nil {
		t.Error(err)
	}
	if out.Provider != "ibverbs" || out.Facts["device"] != strings.TrimPrefix(d.Name, "ibverbs:") {
		t.Errorf("measured over %s, %s", out.Provider, fmt.Sprint(out.Facts))
	}
	return out.Figures[b.figure]
}
