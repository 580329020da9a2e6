package dma

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"dpukv/kvs"
	"dpukv/probe"
	"dpukv/verbs"
	"dpukv/verbs/ibverbs"
)

// rigCard is a device whose copies complete when they are asked for.
type rigCard struct {
	registered [][]byte
	pending    []func()
	depth      int
	events     bool
	closed     bool
	most       int
	broken     error
}

func (r *rigCard) MaxBytes() int { return r.most }

func (r *rigCard) Info() verbs.DeviceInfo {
	return verbs.DeviceInfo{Provider: "ibverbs", Name: "mlx5_0", Firmware: "24.35"}
}

func (r *rigCard) Register(memory []byte) (uint32, error) {
	r.registered = append(r.registered, memory)
	return uint32(len(r.registered)), r.broken
}

// Copy aborts where the memory is not that of its key, or the queue is full.
func (r *rigCard) Copy(to []byte, toKey uint32, from []byte, fromKey uint32) error {
	if !within(r.registered[toKey-1], to) || !within(r.registered[fromKey-1], from) || len(to) != len(from) {
		return errors.New("memory of another key")
	}
	if len(r.pending) == r.depth {
		return verbs.ErrQueueFull
	}
	r.pending = append(r.pending, func() { copy(to, from) })
	return nil
}

func within(region, part []byte) bool {
	begin, at := uintptr(unsafe.Pointer(&region[0])), uintptr(unsafe.Pointer(&part[0]))
	return at >= begin && at+uintptr(len(part)) <= begin+uintptr(len(region))
}

func (r *rigCard) Done() (int, error) {
	n := len(r.pending)
	for _, complete := range r.pending {
		complete()
	}
	r.pending = nil
	return n, nil
}

func (r *rigCard) Close() error {
	r.closed = true
	return nil
}

// rigDevice replaces the device of the engine mlx5.
func rigDevice(t *testing.T, r *rigCard) {
	t.Helper()
	was := openDevice
	t.Cleanup(func() { openDevice = was })
	openDevice = func(_ kvs.Device, depth int, events bool) (device, error) {
		r.depth, r.events = depth, events
		return r, nil
	}
}

func mlx5Task(settings string) *probe.Task {
	return &probe.Task{Settings: probe.Settings(settings), Duration: time.Millisecond, Seed: 1}
}

// TestMLX5 copies by a rigged device: with the keys of both regions, and no deeper than its queue.
func TestMLX5(t *testing.T) {
	for _, op := range []string{write, read} {
		for _, completion := range []string{poll, event} {
			for _, test := range []string{"test=latency", "test=throughput"} {
				settings := test + " engine=mlx5 op=" + op + " completion=" + completion + " bytes=64"
				if test == "test=throughput" {
					settings += " batch=8"
				}
				r := &rigCard{most: 1 << 20}
				rigDevice(t, r)
				o, err := measure(t.Context(), mlx5Task(settings))
				if err != nil {
					t.Fatalf("%s: %v", settings, err)
				}
				if !r.closed || r.events != (completion == event) || len(r.registered) != 2 {
					t.Errorf("%s: %+v", settings, r)
				}
				if o.Facts["engine"] != "mlx5" || o.Facts["device"] != "mlx5_0" || o.Provider != "ibverbs" {
					t.Errorf("%s: facts %v", settings, o.Facts)
				}
				if slices.Contains(o.Warnings, cpuWarning) {
					t.Errorf("%s: %q", settings, o.Warnings)
				}
			}
		}
	}
}

// TestMLX5Refuses: copies beyond the device's longest, and memory that it does not take.
func TestMLX5Refuses(t *testing.T) {
	for want, r := range map[string]*rigCard{
		"bytes: found 64, allowed by the device mlx5_0: up to 32": {most: 32},
		"no locked memory": {most: 1 << 20, broken: errors.New("no locked memory")},
	} {
		rigDevice(t, r)
		_, err := measure(t.Context(), mlx5Task("test=latency engine=mlx5 op=write completion=poll bytes=64"))
		if err == nil || !strings.Contains(err.Error(), want) || !r.closed {
			t.Errorf("got %v, want %q, closed %v", err, want, r.closed)
		}
	}
}

// TestNoMLX5: a machine without such a device says why, and what it has.
func TestNoMLX5(t *testing.T) {
	if ibverbs.Probe() == nil { // as in the guest
		t.Skip("needs a machine without an RDMA device: most have none")
	}
	err := examine("test=latency engine=mlx5 op=write completion=poll bytes=64", false)
	if err == nil || !strings.Contains(err.Error(), "engine: found mlx5, allowed here: cpu (provider ibverbs: ") {
		t.Errorf("got %v", err)
	}
}

func TestDeviceNames(t *testing.T) {
	for name, want := range map[string]ibverbs.Config{
		"": {}, "mlx5_0": {Name: "mlx5_0"}, "mlx5_0/2": {Name: "mlx5_0", Port: 2},
		"ibverbs:mlx5_1/1": {Name: "mlx5_1", Port: 1}, "softroce:192.0.2.1": {}, "shm": {},
	} {
		want.GIDIndex = ibverbs.AutoGID
		if got, err := configOf(kvs.Device{Name: name}); err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", name, got, err, want)
		}
	}
	if _, err := configOf(kvs.Device{Name: "mlx5_0/x"}); err == nil {
		t.Error("a port x is accepted")
	}
}
