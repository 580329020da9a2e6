package shm

import (
	"unsafe"

	"dpukv/verbs"
)

// grant is the result of one lookup of a memory region for a list of work requests.
type grant struct {
	key  uint32 // 0: none
	base unsafe.Pointer
	addr uint64 // of base, in the owner's mapping
	size uint64
}

// span checks a piece of memory against the grant.
func (g *grant) span(key uint32, addr uint64, length uint32) (unsafe.Pointer, bool) {
	offset := addr - g.addr // wraps to a large value if addr lies before
	if key != g.key || key == 0 || offset > g.size || uint64(length) > g.size-offset {
		return nil, false
	}
	return unsafe.Add(g.base, offset), true
}

// look looks up a region of a protection domain. If there is none, why is the reason.
func (a *arena) look(key, pd uint32, need verbs.Access) (g grant, why counter, ok bool) {
	e := a.region(key)
	start, size := e.start.Load(), e.length.Load()
	switch {
	case e.key.Load() != key || key == 0 || e.pd.Load() != pd:
		return g, badRKey, false
	case verbs.Access(e.access.Load())&need != need:
		return g, badAccess, false
	case start > uint64(len(a.mapped)) || size > uint64(len(a.mapped))-start:
		return g, badBounds, false
	}
	return grant{key, a.at(start), a.owner + start, size}, 0, true
}

// find combines look and span.
func (a *arena) find(
	key, pd uint32, addr uint64, length uint32, need verbs.Access,
) (unsafe.Pointer, counter, bool) {
	g, why, ok := a.look(key, pd, need)
	if !ok {
		return nil, why, false
	}
	at, ok := g.span(key, addr, length)
	return at, badBounds, ok
}
