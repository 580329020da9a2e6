package mica

import "fmt"

// admits refuses a frame that its header alone shows to be wrong, before the rest of it is waited
// for.
func (p *peer) admits(h *header) error {
	switch {
	case !p.greeted && (h.kind != kindHello || h.bytes != helloBytes):
		return fmt.Errorf("a frame of kind %d of %d bytes: want a hello first, kind %d of %d bytes",
			h.kind, h.bytes, kindHello, helloBytes)
	case !p.greeted || h.kind == kindRequest:
		return nil
	case h.kind != kindAsk:
		return fmt.Errorf("a frame of kind %d after the hello: want %d, a request, or %d, an ask",
			h.kind, kindRequest, kindAsk)
	case h.bytes != headerBytes:
		return fmt.Errorf("an ask of %d bytes: want %d, the header alone", h.bytes, headerBytes)
	case p.round != 0:
		return fmt.Errorf("an ask before the last one was answered: want one at a time")
	}
	return nil
}

// answer does one frame.
func (p *peer) answer(h *header, body []byte) error {
	w := p.w
	switch h.kind {
	case kindRequest:
		ops, err := parseRequest(body, h.count, w.ops)
		if err != nil {
			return err
		}
		w.out = execute(w.core, h.sequence, ops, w.out)
		w.counters.Frames++
		w.counters.Ops += uint64(len(ops))
	case kindHello:
		text := w.server.welcome.Load()
		if string(body) != magic || text == nil {
			return fmt.Errorf("a hello of %q: want %q, once the server has started", body, magic)
		}
		p.greeted = true
		w.out = append(w.out, control(kindWelcome, h.sequence, *text)...)
	case kindAsk:
		p.sequence, p.round = h.sequence, w.server.gathering.ask(w.system.now())
		w.asking = append(w.asking, p)
		w.want(poll)
	}
	return nil
}
