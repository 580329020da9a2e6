package herd

import (
	"context"
	"testing"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/verbs"
	"dpukv/verbs/verbstest"
)

// lossyPair is a server and a session, both of whose devices lose, double and delay.
func lossyPair(t *testing.T, cfg Config, opts kvs.SessionOptions) (*Server, kvs.Session, *faulty, *faulty) {
	t.Helper()
	answers := &faulty{lose: .02, double: .02, delay: .02}
	requests := &faulty{lose: .02}
	cfg.open = answers.opener
	server := startServer(t, cfg)
	r, err := Dial(context.Background(), server.Addr(), Options{RetryAfter: 2 * time.Millisecond, open: requests.opener})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return server, openTest(t, r, opts), answers, requests
}

// TestLossNeverShows: every operation has one answer, the right one. An ADD that was done and whose answer was lost is
// still answered OK, a DELETE too, and no late PUT covers a later one.
func TestLossNeverShows(t *testing.T) {
	for _, faithful := range []bool{false, true} {
		cfg := testConfig()
		cfg.Faithful = faithful
		server, s, answers, requests := lossyPair(t, cfg, kvs.SessionOptions{Batch: 16, Window: 4, Connections: 2})
		operations(t, s, 0)
		for round := range 20 {
			var sets, gets []kvs.Request
			for i := range 200 {
				sets = append(sets, kvs.Request{Op: kvs.Set, Key: key(i), Value: value(round, 32)})
				gets = append(gets, kvs.Request{Op: kvs.Get, Key: key(i)})
			}
			do(t, s, sets)
			for i, a := range do(t, s, gets) {
				if a.Status != kvs.OK || string(a.Value) != string(value(round, 32)) {
					t.Fatalf("round %d key %d: %s % x", round, i, a.Status, a.Value)
				}
			}
		}
		traffic := s.Traffic()
		stats, err := server.Stats()
		if err != nil {
			t.Fatal(err)
		}
		repeats := stats.Workers[0].Repeats + stats.Workers[1].Repeats
		t.Logf("requests: %d lost; answers: %d lost, %d doubled, %d delayed; %d retries, %d repeats seen, %d strays",
			requests.lost, answers.lost, answers.doubled, answers.late, traffic.Retries, repeats, traffic.Strays)
		if requests.lost == 0 || answers.lost == 0 || answers.late == 0 {
			t.Error("nothing was lost or late")
		}
		if traffic.Retries < uint64(requests.lost)/2 || traffic.Strays == 0 || repeats == 0 {
			t.Error("losses are not counted")
		}
	}
}

// TestEveryAnswerHasABuffer: a NIC receives by itself, and drops an answer that finds no buffer. So it must not matter when a client,
// kept from running, takes its answers and posts their buffers again.
func TestEveryAnswerHasABuffer(t *testing.T) {
	cfg := testConfig()
	cfg.Workers = 1
	cfg.Device = "softroce:" + verbstest.Addr(1)
	server, slow := startServer(t, cfg), &faulty{pause: time.Millisecond}
	r, err := Dial(context.Background(), server.Addr(), Options{
		Device: "softroce:" + verbstest.Addr(2), RetryAfter: 10 * time.Second, open: slow.opener,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	byItself(t, r.device)
	s := openTest(t, r, kvs.SessionOptions{Batch: 32, Window: 2, Connections: 1})
	for i := range 1000 {
		k := key(i)
		request := kvs.Request{Op: kvs.Set, Key: k, Value: value(i, 32), Hash: hashOf(k)}
		for {
			taken, err := s.Submit(&request)
			if err != nil {
				t.Fatal(err)
			}
			if taken {
				break
			}
			time.Sleep(2 * time.Millisecond) // all answers arrive
			if _, err = s.Poll(nil, time.Second); err != nil {
				t.Fatal(err)
			}
		}
	}
	if traffic, n := s.Traffic(), r.DeviceCounters()["no_receive"]; traffic.Retries != 0 || n != 0 {
		t.Errorf("%d answers found no buffer; %+v", n, traffic)
	}
}

// byItself makes a device receive all the time, and not only when it is polled.
func byItself(t *testing.T, d verbs.Device) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Microsecond):
			}
			if _, err := d.Progress(); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
}

// TestNothingIsRetriedWithoutLoss: nothing is sent twice, however long the server takes.
func TestNothingIsRetriedWithoutLoss(t *testing.T) {
	cfg := testConfig()
	cfg.Mode = partition.Cache
	server := startServer(t, cfg)
	r, err := Dial(context.Background(), server.Addr(), Options{RetryAfter: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := openTest(t, r, kvs.SessionOptions{Batch: 32, Window: 2, Connections: 1})
	operations(t, s, 0)
	if traffic := s.Traffic(); traffic.Retries != 0 || traffic.Strays != 0 {
		t.Errorf("%+v", traffic)
	}
	for _, counters := range []map[string]uint64{server.DeviceCounters(), r.DeviceCounters()} {
		for name, n := range counters {
			if n != 0 {
				t.Errorf("%s: %d", name, n)
			}
		}
	}
}
