package rdma

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/probe"
	"dpukv/verbs/perf"
	"dpukv/verbs/verbstest"
)

// named is a device of an end. The addresses are of this test process alone.
func named(device string, end int) string {
	if device == "softroce" {
		device += ":" + verbstest.Addr(end)
	}
	return device
}

// pair starts a server, and returns the client's task.
func pair(t *testing.T, device, test, op, bytes string) (*probe.Task, probe.Server) {
	t.Helper()
	all := Kind.All(map[string][]string{axisTest: {test}, axisOp: {op}, axisBytes: {bytes}})
	task := &probe.Task{
		Settings: all[0], Device: kvs.Device{Name: named(device, 0)}, Listen: "127.0.0.1:0",
		Warmup: 20 * time.Millisecond, Duration: 50 * time.Millisecond,
	}
	srv := must.Get(Kind.Serve(t.Context(), task))(t)
	client := *task
	client.Addr = srv.Addr()
	client.Device.Name = named(device, 1)
	return &client, srv
}

// TestMeasure: every operation has its figures over both software providers.
func TestMeasure(t *testing.T) {
	for _, device := range []string{"shm", "softroce"} {
		for _, test := range []string{testLatency, testBandwidth} {
			for _, op := range []string{"write", "read", "send"} {
				t.Run(device+" "+test+" "+op, func(t *testing.T) {
					task, srv := pair(t, device, test, op, "64")
					began := 0
					task.Began = func() { began++ }
					out := must.Get(Kind.Measure(t.Context(), task))(t)
					if began != 1 || !out.Emulated || out.Transport != "rdma" || out.Duration < task.Duration {
						t.Errorf("began %d times, %+v", began, out)
					}
					for name, x := range out.Figures {
						if x <= 0 {
							t.Errorf("%s = %v", name, x)
						}
					}
					latency := test == testLatency
					if (len(out.Intervals) == 1) != latency || (out.Figures["p999_latency_ns"] > 0) != latency {
						t.Errorf("got %+v", out)
					}
					sends := strings.HasPrefix(device, "softroce")
					sent, back := out.Moved.Device.SentPackets, srv.Moved().Device.ReceivedPackets
					if sends && (sent == 0 || back == 0) {
						t.Errorf("%d packets sent, %d received", sent, back)
					}
					if err := srv.Close(); err != nil {
						t.Error(err)
					}
					if err := srv.Wait(); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// TestServerEnds: a client whose server ends has an error, and does not hang.
func TestServerEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for seconds until the server is given up")
	}
	task, srv := pair(t, "shm", testLatency, "write", "8")
	task.Duration = time.Hour
	task.Began = func() { go srv.Close() }
	if _, err := Kind.Measure(t.Context(), task); err == nil {
		t.Error("the client measured without a server")
	}
}

// TestCancelled: the client ends with its context.
func TestCancelled(t *testing.T) {
	task, srv := pair(t, "shm", testBandwidth, "write", "8")
	ctx, cancel := context.WithCancel(t.Context())
	task.Duration, task.Began = time.Hour, cancel
	if _, err := Kind.Measure(ctx, task); err == nil {
		t.Error("the client measured after its context")
	}
	_ = srv.Close()
}

// TestNoDevice: the error names the device.
func TestNoDevice(t *testing.T) {
	task := &probe.Task{Settings: Kind.All(nil)[0], Device: kvs.Device{Name: "ibverbs:none"}, Listen: "127.0.0.1:0"}
	_, served := Kind.Serve(t.Context(), task)
	_, measured := Kind.Measure(t.Context(), task)
	for _, err := range []error{served, measured, Kind.ExamineDevice(task.Device)} {
		if err == nil || !strings.Contains(err.Error(), "ibverbs:none") {
			t.Errorf("got %v", err)
		}
	}
}

// TestExamine: the software providers work here, and a device of another machine does not.
func TestExamine(t *testing.T) {
	for _, name := range []string{"shm", named("softroce", 0)} {
		if err := Kind.ExamineDevice(kvs.Device{Name: name}); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"softroce:192.0.2.1", "shm:nasty=pcie"} {
		if err := Kind.ExamineDevice(kvs.Device{Name: name}); err == nil {
			t.Errorf("%s passes: another machine's address, or an instrument for tests", name)
		}
	}
}

// TestSizesAreBounded: a size that no device takes is refused where a sweep is read.
func TestSizesAreBounded(t *testing.T) {
	axis := must.Get(Kind.Axis(axisBytes))(t)
	for _, size := range []string{"0", "-1", fmt.Sprint(perf.MaxBytes + 1)} {
		if _, err := axis.Codec.Parse(size); err == nil {
			t.Errorf("%s bytes pass", size)
		}
	}
	task, srv := pair(t, "shm", testLatency, "write", fmt.Sprint(perf.MaxBytes+1)) // not from a file
	if _, err := Kind.Measure(t.Context(), task); err == nil || !strings.Contains(err.Error(), "message size: found") {
		t.Errorf("got %v", err)
	}
	_ = srv.Close()
}

// TestClientEnds: a server whose client ends in the middle has an error.
func TestClientEnds(t *testing.T) {
	for _, device := range []string{"shm", "softroce"} {
		task, srv := pair(t, device, testLatency, "send", "8")
		ctx, cancel := context.WithCancel(t.Context())
		task.Duration, task.Began = time.Hour, cancel
		if _, err := Kind.Measure(ctx, task); err == nil {
			t.Errorf("%s: the client measured after its context", device)
		}
		if err := srv.Wait(); err == nil {
			t.Errorf("%s: the server had no error", device)
		}
		_ = srv.Close()
	}
}

// TestFacts: each end tells what it used.
func TestFacts(t *testing.T) {
	task, srv := pair(t, "softroce", testBandwidth, "write", "4096")
	out, err := Kind.Measure(t.Context(), task)
	must.Do(t, errors.Join(err, srv.Close()))
	here, there := out.Facts, srv.Facts()
	if here["connection"] != "RC" || here["tx_depth"] != "128" || here["inline_bytes"] != "0" ||
		here["mtu"] != there["mtu"] ||
		there["provider"] != out.Provider || there["emulated"] != "true" || here["device"] == there["device"] {
		t.Errorf("the client used %v, the server %v", here, there)
	}
}
