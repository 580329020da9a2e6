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
	bytes   int64 // of memory that places lent
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
		_ = v.channel.Send(reply{Error: err.Error()}) // the client may have gone, or know it
	}
	_ = v.conn.Close()
	v.leave()
}

func (v *visit) answer() (*pair, error) {
	v.channel.SetLimit(helloBytes)
	v.channel.SetTimeout(v.server.cfg.HelloTimeout)
	if err := v.channel.Receive(&v.hello); err != nil {
		return nil, err
	}
	if err := v.hello.check(); err != nil {
		return nil, err
	}
	if v.hello.Port == 0 {
		return nil, v.channel.Send(reply{Report: v.server.report(v.hello.Client)})
	}
	places := &v.server.places
	if err := places.enter(v.hello.Client); err != nil {
		return nil, err
	}
	p, err := v.join()
	if err != nil {
		places.leave(v.hello.Client, v.bytes)
	}
	return p, err
}

// join connects to the server, and then to the client's lane. After the reply, the client hears of
// an error by the refusal of its lane.
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
		return -1, v.unreached(err)
	}
	defer nc.Close()
	if err = nc.SetDeadline(time.Now().Add(helloTimeout)); err == nil {
		err = frames.Greet(nc)
	}
	if err != nil {
		return -1, v.unreached(err)
	}
	return rawsocket.TakeOver(nc)
}

// unreached is the error for a client without a server. It is the same for all reasons, so that a
// client cannot explore the ports of the server's host. The proxy's user reads the first reason.
func (v *visit) unreached(why error) error {
	v.server.cfg.tellOnce(&v.server.unreached, fmt.Sprintf("connect to the server at %s: %v",
		v.addr(), why))
	return fmt.Errorf("connect to the server at %s: found no server that greets; check that it "+
		"runs there, and what the proxy says on its standard error", v.addr())
}

// addr is the address of the server's worker.
func (v *visit) addr() string {
	return net.JoinHostPort(v.server.cfg.Host, strconv.Itoa(v.hello.Port))
}

// acceptLane takes the client's lane, if there is memory for it.
func acceptLane(v *visit) (lane, error) {
	end, err := mqueue.Accept(v.channel, v.server.device, v.lend)
	if err != nil {
		return nil, err // no lane that is nil and not nil
	}
	return end, nil
}

// lend takes the memory for a lane of a shape.
func (v *visit) lend(s mqueue.Shape) (err error) {
	if s.SlotBytes != v.hello.SlotBytes {
		return fmt.Errorf("lane: found slots of %d bytes, allowed: those of the hello, of %d",
			s.SlotBytes, v.hello.SlotBytes)
	}
	v.bytes, err = v.server.places.lend(s)
	return err
}
