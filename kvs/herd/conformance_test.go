package herd

import (
	"fmt"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
	"dpukv/results"
	"dpukv/verbs/verbstest"
)

// TestConformanceOfNasty has a client's device that gives requests effect in any order which a model
// permits. Requests of more than a line have check words under pcie. The device is so slow that some
// requests are repeated.
func TestConformanceOfNasty(t *testing.T) {
	const largest = 2000
	names := []string{
		"shm:nasty=last-word,seed=1", "shm:nasty=last-word,seed=2,inline=-1", "shm:nasty=pcie,seed=1",
		"shm:nasty=pcie,seed=2,inline=-1",
	}
	if testing.Short() { // under the race detector, a look at lines on their way is a race
		names = names[:1]
		t.Log("a short run: one model")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			kvstest.Conformance(t, &Store, kvstest.Config{
				Server: kvs.ServerConfig{ValueBytes: largest},
				Dial:   kvs.DialConfig{Device: kvs.Device{Name: name}},
				Limits: kvstest.Limits{MaxValueBytes: largest, AnyOrder: true},
			})
		})
	}
}

// TestConformOfNastyPackets is a short form of it, in which each piece is a packet.
func TestConformOfNastyPackets(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds; under the race detector, a look at lines on their way is a race")
	}
	for _, model := range []string{"last-word", "pcie"} {
		t.Run(model, func(t *testing.T) {
			cfg := testConfig()
			cfg.Device, cfg.SlotBytes = "softroce:"+verbstest.Addr(1), SlotBytesFor(kvs.MaxKeyBytes, 500)
			server := startServer(t, cfg)
			device := "softroce:" + verbstest.Addr(2) + ",nasty=" + model
			r := must.Keep(Dial(t.Context(), server.Addr(), Options{Device: device}))(t)
			kvstest.Conform(t, r, kvstest.Limits{MaxValueBytes: 500, AnyOrder: true})
		})
	}
}

// TestNoOrderIsRefused checks that each end refuses a device that promises nothing, by name.
func TestNoOrderIsRefused(t *testing.T) {
	for _, devices := range [][2]string{{"shm", "shm:nasty=ibta"}, {"shm:nasty=ibta", "shm"}} {
		cfg := testConfig()
		cfg.Device = devices[0]
		server := startServer(t, cfg)
		r, err := Dial(t.Context(), server.Addr(), Options{Device: devices[1]})
		if err == nil {
			r.Close()
		}
		must.Fail(t, err, `"none" of shm`)
	}
}

// TestFiguresOfNasty checks that a load over such a device gives no point for a figure.
func TestFiguresOfNasty(t *testing.T) {
	cfg := testConfig()
	cfg.SlotBytes = SlotBytesFor(16, 100)
	server := startServer(t, cfg)
	r := must.Get(Dial(t.Context(), server.Addr(), Options{Device: "shm:nasty=pcie"}))(t)
	defer r.Close()
	p, err := underLoad(t, r, func() {})
	if err == nil || p.Status != results.StatusFailed || !p.Emulated || p.Errors != 0 ||
		p.RequestCheck != "CRC-32C" || !strings.Contains(p.Error, "an instrument for tests") {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestConformance(t *testing.T) {
	const largest = 2000 // fits a datagram of shm
	all := []int{1, 2}
	if testing.Short() {
		all = all[1:]
		t.Log("a short run: two workers")
	}
	for _, workers := range all {
		t.Run(fmt.Sprint("workers=", workers), func(t *testing.T) {
			kvstest.Conformance(t, &Store, kvstest.Config{
				Server: kvs.ServerConfig{Workers: workers, ValueBytes: largest},
				Limits: kvstest.Limits{MaxValueBytes: largest, AnyOrder: true},
			})
		})
	}
}
