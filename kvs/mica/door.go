package mica

import (
	"fmt"
	"io"
	"net"
	"time"

	"dpukv/internal/admission"

	"github.com/panjf2000/gnet/v2"
	"github.com/panjf2000/gnet/v2/pkg/socket"
)

// keepAlive is the silence after which the kernel asks whether the client is still there.
const keepAlive = time.Minute

// enroller is the part of gnet that the door uses. gnet's own listener would end its loop when no
// descriptor is left, so it has none here.
type enroller interface {
	// EnrollContext gives a copy of the connection's descriptor to the loop, and always closes the
	// connection. It returns once the loop has looked at it.
	EnrollContext(c net.Conn, context any) (gnet.Conn, error)
}

// newDoor makes a worker's door. The door lets in more connections than the server takes: it keeps
// a surplus one for a moment, until its client has read the reason.
func (w *worker) newDoor(cfg admission.Config) (h *handover, err error) {
	cfg.Most = int(w.server.budget.connections) + 2*maxRefusing
	cfg.Refusal = func(why error) []byte { return control(kindFailure, 0, []byte(why.Error())) }
	h = &handover{w: w, spare: cfg.Spare}
	cfg.Serve = h.serve
	w.door, err = admission.New(w.listener, cfg)
	return h, err
}

// handover passes connections from the door to the loop. It belongs to the door's goroutine.
type handover struct {
	w     *worker
	spare func() (io.Closer, error)
	held  io.Closer // a descriptor reserved for gnet's copy
}

// serve gives a connection to the loop, or refuses it.
func (h *handover) serve(c net.Conn, leave func()) {
	w := h.w
	if err := h.ready(c); err != nil {
		w.refuse(c, leave, err.Error())
		return
	}
	p := &peer{w: w, leave: leave}
	if !w.server.budget.admit() {
		p.refusal = fmt.Sprintf("all %d connections of this server are in use "+
			"(--max-connections): use fewer, or start it with more", w.server.budget.connections)
		if w.refusing.Add(1) > maxRefusing {
			w.refusing.Add(-1)
			w.refuse(c, leave, p.refusal)
			return
		}
		w.refused.Add(1)
	}
	_ = h.held.Close() // nothing was written
	h.held = nil
	if _, err := w.loop.EnrollContext(c, p); err != nil || !p.opened {
		w.refused.Add(1)
		p.forget() // gnet never opened it and has closed it: the client receives no reason
	}
}

// ready does, ahead of gnet, the steps at whose failure gnet would leak the connection's
// descriptor.
func (h *handover) ready(c net.Conn) error {
	if h.held == nil {
		held, err := h.spare()
		if err != nil {
			return fmt.Errorf("the process of this server has no file descriptor left (ulimit "+
				"-n): %w",
				err)
		}
		h.held = held
	}
	t, ok := c.(interface {
		SetNoDelay(on bool) error
		SetKeepAlivePeriod(d time.Duration) error
	})
	if !ok {
		return fmt.Errorf("a connection of type %T", c)
	}
	if err := t.SetNoDelay(true); err != nil {
		return err
	}
	if err := t.SetKeepAlivePeriod(keepAlive); err != nil {
		return err
	}
	_, _, _, _, err := socket.GetTCPSockAddr("tcp", c.RemoteAddr().String())
	return err
}

// refuse sends a client the reason, as far as its socket takes that at once.
func (w *worker) refuse(c net.Conn, leave func(), why string) {
	w.refused.Add(1)
	admission.Tell(c, control(kindFailure, 0, []byte(why)))
	_ = c.Close() // nobody would read an error
	leave()
}

// drop closes the spare descriptor.
func (h *handover) drop() {
	if h.held != nil {
		_ = h.held.Close()
	}
}
