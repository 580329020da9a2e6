package proxy

import (
	"runtime"
	"sync"
	"sync/atomic"

	"dpukv/internal/cpu"
	"dpukv/internal/packets"
	"dpukv/internal/rawsocket"
	"dpukv/verbs/idle"

	"golang.org/x/sys/unix"
)

// pump is a thread that moves the frames of its pairs.
type pump struct {
	server *Server
	poller *rawsocket.Poller
	idle   *idle.Idle
	turns  uint
	// pairs are those of the thread, at the numbers that events have. Some are nil.
	pairs []*pair

	spunNs         atomic.Int64
	frames, writes atomic.Uint64

	told  atomic.Bool // added or stopped have changed
	mu    sync.Mutex
	added []*pair // not yet among pairs
	// open are the pairs whose descriptors are open.
	open    map[*pair]struct{}
	left    packets.Counts // of those that are closed
	stopped bool
	ended   chan struct{}
}

// startPump starts a thread, pinned to its CPU.
func startPump(s *Server, number int) (*pump, error) {
	poller, err := rawsocket.NewPoller()
	if err != nil {
		return nil, err
	}
	p := &pump{
		server: s, poller: poller, open: map[*pair]struct{}{}, ended: make(chan struct{}),
	}
	started := make(chan error, 1)
	go func() {
		defer close(p.ended)
		started <- p.pin(number)
		if err := p.run(); err != nil {
			s.End(err)
		}
	}()
	if err := <-started; err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

func (p *pump) pin(number int) error {
	runtime.LockOSThread()
	cpus := p.server.cfg.CPUs
	wait, err := p.server.cfg.Wait.Policy()
	if err != nil {
		return err
	}
	p.idle = idle.New(wait, len(cpus) > 0)
	if len(cpus) == 0 {
		return nil
	}
	return cpu.PinThread(cpus[number%len(cpus)])
}

// stop ends the thread and its pairs.
func (p *pump) stop() {
	p.mu.Lock()
	p.stopped = true
	p.told.Store(true)
	p.mu.Unlock()
	<-p.ended
}

// add gives the thread a pair. It returns false if the thread ends.
func (p *pump) add(q *pair) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return false
	}
	p.added = append(p.added, q)
	p.told.Store(true)
	return true
}

// run moves frames until the thread is stopped.
func (p *pump) run() error {
	defer p.end()
	for {
		if p.told.Load() && !p.admit() {
			return nil
		}
		moved, err := p.turn()
		switch {
		case err != nil:
			return err
		case moved:
			p.idle.Reset()
		default:
			if err := p.idle.Rest(p.server.device); err != nil {
				return err
			}
			p.spunNs.Store(p.idle.SpunNs())
		}
	}
}

// admit takes the added pairs. It returns false if the thread is stopped.
func (p *pump) admit() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told.Store(false)
	for _, q := range p.added {
		p.place(q)
		p.open[q] = struct{}{}
		if err := p.poller.Watch(unix.EPOLL_CTL_ADD, q.fd, q.number, unix.EPOLLIN); err != nil {
			q.cut = err // its client gets the reason with its next request
		}
	}
	p.added = p.added[:0]
	return !p.stopped
}

// place gives a pair a number.
func (p *pump) place(q *pair) {
	for i := range p.pairs {
		if p.pairs[i] == nil {
			q.number, p.pairs[i] = i, q
			return
		}
	}
	q.number, p.pairs = len(p.pairs), append(p.pairs, q)
}

// eventTurns is the number of turns between two looks at sockets that owe nothing.
const eventTurns = 64

// turn moves what can move without waiting.
func (p *pump) turn() (moved bool, err error) {
	owed := false
	for _, q := range p.pairs {
		if q == nil {
			continue
		}
		m, err := q.forward()
		if err != nil {
			p.remove(q, err)
			continue
		}
		moved, owed = moved || m, owed || q.owed > 0
	}
	if p.turns++; !owed && p.turns%eventTurns != 0 {
		return moved, nil
	}
	events, err := p.poller.Wait(0)
	if err != nil {
		return moved, err
	}
	for _, e := range events {
		if q := p.pairs[e.Fd]; q != nil { // else an event came for its predecessor
			moved = true
			if err := q.event(e.Events); err != nil {
				p.remove(q, err)
			}
		}
	}
	return moved, nil
}

// remove ends a pair whose lane does not work. A goroutine frees it, so that the other pairs do not
// wait.
func (p *pump) remove(q *pair, why error) {
	p.server.lostLane(why)
	p.pairs[q.number] = nil
	p.disconnect(q)
	p.server.serving.Go(q.free)
}

// disconnect closes a pair's TCP connection and keeps its counters.
func (p *pump) disconnect(q *pair) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, open := p.open[q]; !open {
		return
	}
	delete(p.open, q)
	packets := rawsocket.Packets(q.fd)
	p.left.Add(&packets)
	_ = unix.Close(q.fd) // nothing to lose
	q.fd = -1
}

// packets returns the kernel's counters of the TCP connections, of closed ones too. A connection
// counts once at any time, so that the sums never fall.
func (p *pump) packets() (sum packets.Counts) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sum = p.left
	for q := range p.open {
		one := rawsocket.Packets(q.fd)
		sum.Add(&one)
	}
	for _, q := range p.added {
		one := rawsocket.Packets(q.fd)
		sum.Add(&one)
	}
	return sum
}

// end frees the pairs when the thread ends.
func (p *pump) end() {
	for _, q := range p.pairs {
		if q != nil {
			p.disconnect(q)
			q.free()
		}
	}
	_ = p.poller.Close()
}
