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

// join connects to the server, and then to the client's lane.
func (v *visit) join() (*pair, error) {
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

// acceptLane takes the client's lane, whose memory has limits.
func acceptLane(v *visit) (lane, error) {
	end, err := mqueue.Accept(v.channel, v.server.device)
	if err != nil {
		return nil, err
	}
	f := end.Facts()
	if f.SlotBytes != v.hello.SlotBytes || f.Slots*f.SlotBytes > MaxLaneBytes {
		return nil, errors.Join(fmt.Errorf("lane: found %d slots of %d bytes, allowed: slots of "+
			"%d, together up to %d bytes", f.Slots, f.SlotBytes, v.hello.SlotBytes,
			MaxLaneBytes), end.Close())
	}
	return end, nil
}
