package rdma

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"dpukv/kvs"
	"dpukv/probe"
)

// pair starts a server, and returns the client's task.
func pair(t *testing.T, device, test, op, bytes string) (*probe.Task, probe.Server) {
	t.Helper()
	all := Kind.All(map[string][]string{axisTest: {test}, axisOp: {op}, axisBytes: {bytes}})
	task := &probe.Task{
		Settings: all[0], Device: kvs.Device{Name: strings.Replace(device, "softroce", "softroce:127.0.0.1", 1)}, Listen: "127.0.0.1:0",
		Warmup: 20 * time.Millisecond, Duration: 50 * time.Millisecond,
	}
	srv, err := Kind.Serve(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	client := *task
	client.Addr = srv.Addr()
	if device == "softroce" {
		client.Device.Name = device + ":127.0.0.2"
	}
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
					out, err := Kind.Measure(t.Context(), task)
					if err != nil {
						t.Fatal(err)
					}
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
					if sent, back := out.Moved.Device.SentPackets, srv.Moved().Device.ReceivedPackets; sends && (sent == 0 || back == 0) {
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
	if _, err := Kind.Serve(t.Context(), task); err == nil || errors.Is(err, os.ErrInvalid) || !strings.Contains(err.Error(), "none") {
		t.Errorf("got %v", err)
	}
}
