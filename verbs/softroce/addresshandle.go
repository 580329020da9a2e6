package softroce

import (
	"fmt"
	"slices"

	"dpukv/verbs"
)

// handle is an address handle.
type handle struct {
	device *device
	number uint32
	path   path
}

func (p *pd) CreateAH(peer verbs.Endpoint) (verbs.AH, error) {
	to, err := p.device.pathTo(peer, nil)
	if err != nil {
		return nil, err
	}
	h := &handle{device: p.device, path: to}
	err = p.device.change(func() error {
		i := slices.Index(p.device.handles, nil)
		if i < 0 {
			i = len(p.device.handles)
			p.device.handles = append(p.device.handles, nil)
		}
		p.device.handles[i], h.number = h, uint32(i)+1 // 0 stands for no handle
		return nil
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (h *handle) Handle() uint32 { return h.number }

func (h *handle) Close() error {
	return h.device.release(func() error {
		if i := h.number - 1; h.device.handles[i] == h {
			h.device.handles[i] = nil
		}
		return nil
	})
}

// handle finds an address handle by its number.
func (d *device) handle(number uint32) (*handle, error) {
	i := int(number) - 1
	if i < 0 || i >= len(d.handles) || d.handles[i] == nil {
		return nil, fmt.Errorf("address handle: found %d, which does not exist", number)
	}
	return d.handles[i], nil
}
