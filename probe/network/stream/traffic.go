package stream

import (
	"sync"
	"time"

	"dpukv/internal/packets"
	"dpukv/internal/program"
	"dpukv/internal/tcpinfo"
	"dpukv/kvs"
)

// sampleEvery is how often the counters are read. They are lost when a socket closes.
const sampleEvery = 250 * time.Millisecond

// traffic samples the counters of the sockets of processes, in the background.
type traffic struct {
	pids []int
	stop chan struct{}
	done sync.WaitGroup

	mu   sync.Mutex
	most packets.Counts
}

func watchTraffic(of []*program.Process) *traffic {
	t := &traffic{stop: make(chan struct{})}
	for _, p := range of {
		t.pids = append(t.pids, p.PID())
	}
	t.done.Go(t.run)
	return t
}

func (t *traffic) run() {
	for tick := time.NewTicker(sampleEvery); ; {
		select {
		case <-t.stop:
			tick.Stop()
			return
		case <-tick.C:
			t.sample()
		}
	}
}

// sample keeps the counters, unless sockets have closed since an earlier sample.
func (t *traffic) sample() {
	now := tcpinfo.Packets(t.pids...)
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.SentPackets+now.ReceivedPackets >= t.most.SentPackets+t.most.ReceivedPackets {
		t.most = now
	}
}

// moved returns the traffic so far.
func (t *traffic) moved() kvs.Moved {
	t.sample()
	t.mu.Lock()
	defer t.mu.Unlock()
	return kvs.Moved{Sockets: t.most}
}

// close ends the sampling. The last sample stays.
func (t *traffic) close() {
	close(t.stop)
	t.done.Wait()
}
