package stream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/ports"
	"dpukv/internal/program"
	"dpukv/kvs"
	"dpukv/probe"
)

const (
	startTimeout = 10 * time.Second
	askEvery     = time.Millisecond
	startTries   = 5 // another program may take a port that was free
)

// server is a set of iperf3 servers.
type server struct {
	processes []*program.Process
	addr      string
	facts     map[string]string
	traffic   *traffic
	once      sync.Once
	closed    chan struct{}
	broken    chan error // has the reason of the first process that ended by itself
}

// Serve starts an iperf3 server for each core, on ports in a row. They are up when it returns.
func Serve(ctx context.Context, t *probe.Task) (probe.Server, error) {
	o, err := optionsOf(t.Settings)
	if err != nil {
		return nil, err
	}
	i, err := findIperf3()
	if err != nil {
		return nil, err
	}
	cpus, err := seats(t.CPUs, o.cores)
	if err != nil {
		return nil, err
	}
	host, _, err := ports.Split(t.Listen)
	if err != nil {
		return nil, err
	}
	if net.ParseIP(host) == nil {
		return nil, fmt.Errorf("listen address: found %q, allowed: an IP address of this "+
			"machine, and ports", t.Listen)
	}
	for try := 1; ; try++ {
		block, err := ports.Block(t.Listen, o.cores)
		if err != nil {
			return nil, err
		}
		s, taken, err := start(ctx, &i, host, block, cpus)
		if err == nil {
			return s, nil
		}
		if !taken || try == startTries {
			return nil, err
		}
	}
}

// start starts the servers. It reports whether another program took a port meanwhile.
func start(
	ctx context.Context, i *iperf3, host string, block ports.Range, cpus []int,
) (s *server, taken bool, err error) {
	s = &server{
		addr: ports.Join(host, block), closed: make(chan struct{}),
		broken: make(chan error, len(cpus)),
		facts: map[string]string{
			"program": i.title(), axisCores: strconv.Itoa(len(cpus)), "cpus": cpu.FormatList(cpus),
		},
	}
	for n, on := range cpus {
		p, err := program.Start(i.path, []string{
			"-s", "-B", host, "-p", strconv.Itoa(block.First + n), "-i", "0", "--forceflush",
		}, []int{on}, nil)
		if err != nil {
			return nil, false, errors.Join(err, s.Close())
		}
		s.processes = append(s.processes, p)
		go s.watch(p)
	}
	for _, p := range s.processes {
		if err := listening(ctx, p); err != nil {
			return nil, inUse(p.Output()), errors.Join(err, s.Close())
		}
	}
	s.traffic = watchTraffic(s.processes)
	return s, false, nil
}

// watch notes the end of a process.
func (s *server) watch(p *program.Process) {
	<-p.Ended()
	s.broken <- p.Reason()
}

// listening returns once a server says that it listens.
func listening(ctx context.Context, p *program.Process) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for !strings.Contains(p.Output(), "Server listening") {
		select {
		case <-p.Ended():
			return p.Reason()
		case <-ctx.Done():
			return fmt.Errorf("iperf3 does not listen: %w; its last output: %s", ctx.Err(),
				p.Output())
		case <-time.After(askEvery):
		}
	}
	return nil
}

func inUse(words string) bool {
	return strings.Contains(strings.ToLower(words), "address already in use")
}

// Addr is HOST:FIRST-LAST, or HOST:PORT of one core.
func (s *server) Addr() string { return s.addr }

func (s *server) Facts() map[string]string { return maps.Clone(s.facts) }

func (s *server) Moved() kvs.Moved { return s.traffic.moved() }

// CPUNs is the CPU time of the iperf3 processes so far.
func (s *server) CPUNs() int64 { return cpuNs(s.processes) }

// Wait returns the reason when a server ends by itself, or nil after Close.
func (s *server) Wait() error {
	select {
	case <-s.closed:
		return nil
	case err := <-s.broken:
		select {
		case <-s.closed:
			return nil
		default:
			return err
		}
	}
}

// Close ends the servers.
func (s *server) Close() (err error) {
	s.once.Do(func() {
		close(s.closed)
		if s.traffic != nil {
			s.traffic.close()
		}
		err = stopAll(s.processes)
	})
	return err
}
