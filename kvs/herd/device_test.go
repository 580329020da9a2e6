package herd

import (
	"context"
	"testing"
	"time"

	"dpukv/internal/packets"
	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/verbs"
	"dpukv/verbs/provider"
	"dpukv/verbs/verbstest"
)

// overSoftRoCE is a server and a client on two addresses of this machine, with packets between
// them.
func overSoftRoCE(t testing.TB, cfg Config) (*Server, *Remote) {
	t.Helper()
	cfg.Device = "softroce:" + verbstest.Addr(1)
	server := startServer(t, cfg)
	// The client must not write a late request again. The same bytes written while a worker reads
	// them do no harm, but the race detector rightly calls it a race.
	r := must.Get(Dial(context.Background(), server.Addr(),
		Options{Device: "softroce:" + verbstest.Addr(2), RetryAfter: 10 * time.Second}))(t)
	t.Cleanup(func() { r.Close() })
	return server, r
}

// TestSoftRoCE runs every operation over RoCE packets, with small items and with items of several
// packets.
func TestSoftRoCE(t *testing.T) {
	cfg := testConfig()
	server, r := overSoftRoCE(t, cfg)
	if f := r.Facts(); f.Provider != "softroce" || !f.Emulated || f.Transport != "rdma" {
		t.Errorf("%+v", f)
	}
	operations(t, openTest(t, r, kvs.SessionOptions{Batch: 32, Window: 2, Connections: 2}), 0)
	operations(t, openTest(t, r, kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1}), 1000)
	for name, n := range server.DeviceCounters() {
		if n != 0 {
			t.Logf("server: %s %d", name, n)
		}
	}
}

// TestMoved checks that the device's packets count once, however many sessions share it, and that
// the side channels count too.
func TestMoved(t *testing.T) {
	server, r := overSoftRoCE(t, testConfig())
	sessions := []kvs.Session{
		openTest(t, r, kvs.SessionOptions{Batch: 32, Window: 2, Connections: 2}),
		openTest(t, r, kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1}),
	}
	for i, s := range sessions {
		operations(t, s, 1000*i)
	}
	sent := sessions[0].Traffic().SentBytes + sessions[1].Traffic().SentBytes
	got, counted := r.Moved(), r.DeviceCounters()
	if d := got.Device; d.Sources != 1 || d.SentBytes < sent || d.SentPackets == 0 ||
		d.ReceivedPackets == 0 || d.SentBytes != counted["tx_bytes"] {
		t.Errorf("the device moved %+v, the sessions sent %d bytes, it counted %v", d, sent, counted)
	}
	if there := server.Moved().Device; there.ReceivedBytes < sent || there.SentPackets == 0 {
		t.Errorf("the server's device moved %+v, and the sessions sent it %d bytes", there, sent)
	}
	kernel.NeedTCPInfo(t)
	if c := got.Sockets; c.Sources != 1 || c.SentBytes == 0 {
		t.Errorf("the control connection moved %+v", c)
	}
	if c := sessions[0].Moved(); c.Sockets.Sources != 2 || c.Device != (packets.Counts{}) {
		t.Errorf("the session's side channels moved %+v", c)
	}
}

func TestSoftRoCELargeValues(t *testing.T) {
	cfg := testConfig()
	cfg.SlotBytes = SlotBytesFor(16, 3000)
	_, r := overSoftRoCE(t, cfg)
	s := openTest(t, r, kvs.SessionOptions{Batch: 8, Window: 2, Connections: 1})
	for _, n := range []int{0, 1, 1000, 1025, 3000} {
		var sets, gets []kvs.Request
		for i := range 100 {
			sets = append(sets, kvs.Request{Op: kvs.Set, Key: key(i), Value: value(i, n)})
			gets = append(gets, kvs.Request{Op: kvs.Get, Key: key(i)})
		}
		do(t, s, sets)
		for i, a := range do(t, s, gets) {
			if a.Status != kvs.OK || string(a.Value) != string(value(i, n)) {
				t.Fatalf("%d bytes, key %d: %s with %d bytes", n, i, a.Status, len(a.Value))
			}
		}
	}
}

// nic is a device that takes itself for another.
type nic struct{ verbs.Device }

func (nic) Info() verbs.DeviceInfo { return verbs.DeviceInfo{Provider: "ibverbs", Name: "mlx5_0"} }

// TestFactsAreOfBothEnds checks that a NIC at one end does not hide the software at the other.
func TestFactsAreOfBothEnds(t *testing.T) {
	software, hardware := openDevice, func(name string, opts *provider.Options) (verbs.Device, error) {
		d, err := openDevice(name, opts)
		return nic{d}, err
	}
	for _, test := range []struct {
		server, client opener
		provider       string
		emulated       bool
	}{
		{software, software, "softroce", true},
		{hardware, software, "softroce to ibverbs", true},
		{software, hardware, "ibverbs to softroce", true},
		{hardware, hardware, "ibverbs", false},
	} {
		cfg := testConfig()
		cfg.Device, cfg.open = "softroce:"+verbstest.Addr(1), test.server
		server := startServer(t, cfg)
		opts := Options{Device: "softroce:" + verbstest.Addr(2), open: test.client}
		r := must.Get(Dial(t.Context(), server.Addr(), opts))(t)
		if f := r.Facts(); f.Provider != test.provider || f.Emulated != test.emulated {
			t.Errorf("found provider %q, emulated %v, want %q, %v", f.Provider, f.Emulated, test.provider,
				test.emulated)
		}
		r.Close()
		server.Close()
	}
}
