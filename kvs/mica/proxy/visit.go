package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"dpukv/internal/rawsocket"
	"dpukv/verbs/mqueue"
	"dpukv/verbs/sidechannel"

	"golang.org/x/sys/unix"
)

// visit is a connection to the side channel, until it has a pair.
type visit struct {
	server  *Server
	conn    net.Conn
	leave   func() // gives the connection's place back to the door
	channel *sidechannel.Channel
	hello   hello
	memory  int64 // bytes that its lane has reserved
}

// receive serves a connection that has a place at the door.
func (s *Server) receive(conn net.Conn, leave func()) {
	v := &visit{server: s, conn: conn, leave: leave, channel: sidechannel.New(conn)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		_ = conn.Close()
		leave()
		return
	}
	s.visits[v] = struct{}{}
	s.serving.Go(v.serve)
}

// endVisits closes the connections without a pair, and lets no others in.
func (s *Server) endVisits() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	for v := range s.visits {
		_ = v.conn.Close() // its goroutine finds out
	}
}

// refusal is the reply to a connection without a place.
func refusal(why error) []byte {
	text, _ := json.Marshal(reply{Error: why.Error()}) // a string always marshals
	return append(text, '\n')
}

// serve answers the hello. A visit that gets no pair ends here.
func (v *visit) serve() {
	p, err := v.answer()
	s := v.server
	s.mu.Lock()
	delete(s.visits, v)
	s.mu.Unlock()
	if p != nil && p.pump.add(p) {
		return
	}
	if p != nil {
		p.free() // the proxy is being closed
		return
	}
	if err != nil {
		_ = v.channel.Send(reply{Error: err.Error()}) // the client may have gone
	}
	_ = v.conn.Close()
	v.leave()
}

func (v *visit) answer() (*pair, error) {
	v.channel.SetLimit(helloBytes)
	v.channel.SetTimeout(helloTimeout)
	if err := v.channel.Receive(&v.hello); err != nil {
		return nil, err
	}
	if err := v.hello.check(); err != nil {
		return nil, err
	}
	if v.hello.Port == 0 {
		return nil, v.channel.Send(reply{Report: v.server.report()})
	}
	return v.join()
}

// join makes a pair, if there is a place for one.
func (v *visit) join() (*pair, error) {
	s := v.server
	if s.places.Add(1) > int64(s.cfg.MaxConnections) {
		s.places.Add(-1)
		return nil, fmt.Errorf("connections: found %d of clients, allowed: as many; use fewer "+
			"connections, or several proxies", s.cfg.MaxConnections)
	}
	p, err := v.connect()
	if err != nil {
		s.places.Add(-1)
		s.laneBytes.Add(-v.memory)
	}
	return p, err
}

// connect connects to the server, and then to the client's lane.
func (v *visit) connect() (*pair, error) {
	fd, err := v.dial()
	if err != nil {
		return nil, err
	}
	v.channel.SetTimeout(stepTimeout)
	if err = v.channel.Send(reply{}); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	accept := v.server.cfg.accept
	if accept == nil {
		accept = acceptLane
	}
	l, err := accept(v)
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return newPair(v, l, fd), nil
}

// dial connects to the server's worker and greets it.
func (v *visit) dial() (fd int, err error) {
	frames, addr := &v.server.cfg.Frames, v.addr()
	nc, err := net.DialTimeout("tcp", addr, helloTimeout)
	if err != nil {
		return -1, fmt.Errorf("connect to the server: %w", err)
	}
	defer nc.Close()
	if err = nc.SetDeadline(time.Now().Add(helloTimeout)); err == nil {
		err = frames.Greet(nc)
	}
	if err != nil {
		return -1, fmt.Errorf("greet the server: %w", err)
	}
	return rawsocket.TakeOver(nc)
}

// addr is the address of the server's worker.
func (v *visit) addr() string {
	return net.JoinHostPort(v.server.cfg.Host, strconv.Itoa(v.hello.Port))
}

// acceptLane takes the client's lane.
func acceptLane(v *visit) (lane, error) {
	end, err := mqueue.Accept(v.channel, v.server.device, v.fits)
	if err != nil {
		return nil, err // not a nil *End in a lane
	}
	return end, nil
}

// fits reserves the memory of a lane, or refuses its shape.
func (v *visit) fits(s mqueue.Shape) error {
	if s.SlotBytes != v.hello.SlotBytes || s.Slots*s.SlotBytes > MaxLaneBytes {
		return fmt.Errorf("lane: found %d slots of %d bytes, allowed: slots of %d, together up "+
			"to %d bytes", s.Slots, s.SlotBytes, v.hello.SlotBytes, MaxLaneBytes)
	}
	need := int64(s.Bytes())
	if all := v.server.laneBytes.Add(need); all > MaxBytes {
		v.server.laneBytes.Add(-need)
		return fmt.Errorf("memory of lanes: found %d bytes in use and %d more, allowed: %d in "+
			"all; use smaller windows, smaller batches, or fewer connections", all-need, need,
			int64(MaxBytes))
	}
	v.memory = need
	return nil
}
