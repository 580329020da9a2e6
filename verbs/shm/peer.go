package shm

import (
	"slices"

	"dpukv/verbs"
)

// peer is another device's arena. It stays mapped here while anything uses it.
type peer struct {
	*arena
	handle handle
	users  int
}

// attach maps the device of an endpoint.
func (d *Device) attach(e verbs.Endpoint) (*peer, error) {
	h, err := parseHandle(e.Handle)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, verbs.ErrClosed
	}
	p := d.peers[h.id]
	if p == nil {
		a, err := openArena(h)
		if err != nil {
			return nil, err
		}
		p = &peer{arena: a, handle: h}
		d.peers[h.id] = p
	}
	p.users++
	return p, nil
}

// hold keeps an attached peer mapped for another user.
func (d *Device) hold(p *peer) {
	d.mu.Lock()
	p.users++
	d.mu.Unlock()
}

func (d *Device) detach(p *peer) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p.users--; p.users > 0 || d.closed {
		return nil
	}
	delete(d.peers, p.handle.id)
	return p.unmap()
}

// ah is an address handle: a peer by number.
type ah struct {
	device *Device
	peer   *peer
	number uint32
}

// addAH numbers a peer. Senders see either the new list or the old one.
func (d *Device) addAH(p *peer) *ah {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := slices.Clone(*d.handles.Load())
	number := slices.Index(list, nil)
	if number < 0 {
		number = len(list)
		list = append(list, nil)
	}
	list[number] = p
	d.handles.Store(&list)
	return &ah{d, p, uint32(number)}
}

func (h *ah) Handle() uint32 { return h.number }

// Close frees the number. The caller must not post sends with it afterwards.
func (h *ah) Close() error {
	if h.peer == nil {
		return nil
	}
	d := h.device
	d.mu.Lock()
	list := slices.Clone(*d.handles.Load())
	list[h.number] = nil
	d.handles.Store(&list)
	d.mu.Unlock()
	p := h.peer
	h.peer = nil
	return d.detach(p)
}
