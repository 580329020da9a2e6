package bench

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// memoryFloor is the memory of a partition without its work. An operation reads a word of a line of an
// index of the same size, which leads to an item, and copies its value. It compares no key, keeps no
// room, and answers nothing.
type memoryFloor struct {
	index, log *offheap.Region
	lines      uint64 // of the index
	item       int    // bytes
	value      []byte // what a Set copies
}

const itemHead = 24 // bytes of an item before its value, with a key of 8 bytes

func newMemoryFloor(tb testing.TB, keys, valueBytes int) *memoryFloor {
	f := &memoryFloor{
		lines: uint64(keys+2) / 3, item: itemHead + (valueBytes+7)&^7, value: make([]byte, valueBytes),
	}
	f.index = must.Get(offheap.Alloc(int(f.lines)*64, offheap.Auto))(tb)
	f.log = must.Get(offheap.Alloc(keys*f.item, offheap.Auto))(tb)
	rng := rand.New(rand.NewPCG(1, 2))
	for at := 0; at < int(f.lines)*64; at += 8 {
		binary.LittleEndian.PutUint64(f.index.Bytes()[at:], rng.Uint64N(uint64(keys))*uint64(f.item))
	}
	return f
}

func (f *memoryFloor) free() {
	_ = f.index.Free()
	_ = f.log.Free()
}

// run does n operations of a stream, in batches of 64: it fetches all lines of the index, then all
// lines of the values, then copies. It checks no bounds.
func (f *memoryFloor) run(n int, s *stream) (nsPerOp float64) {
	const batch = 64
	out, offsets := make([]byte, batch*len(f.value)), make([]uint64, batch)
	log := unsafe.Pointer(&f.log.Bytes()[0])
	runtime.LockOSThread()
	start := cpu.ThreadNs()
	for done, at := 0, 0; done < n; done += batch {
		f.locate(s.hashes[at:at+batch], offsets)
		for line := itemHead; line < f.item+64-8; line += 64 {
			prefetch(unsafe.Add(log, min(line, f.item-8)), offsets)
		}
		if len(f.value) == 8 {
			f.copyWords(s.codes[at:at+batch], offsets, out)
		} else {
			f.copyBytes(s.codes[at:at+batch], offsets, out)
		}
		at = (at + batch) % (streamLen - batch)
	}
	return float64(cpu.ThreadNs()-start) / float64(n)
}

// locate finds the items that the words of the index lead to.
func (f *memoryFloor) locate(hashes, offsets []uint64) {
	index, lines := unsafe.Pointer(&f.index.Bytes()[0]), f.lines
	offsets = offsets[:len(hashes)]
	for i, hash := range hashes {
		offsets[i] = uint64(uint32(hash>>16))*lines>>32*64 + hash>>61*8
	}
	prefetch(index, offsets)
	for i, at := range offsets {
		offsets[i] = *(*uint64)(unsafe.Add(index, at))
	}
}

func (f *memoryFloor) copyWords(codes []kvs.Op, offsets []uint64, out []byte) {
	log := unsafe.Add(unsafe.Pointer(&f.log.Bytes()[0]), itemHead)
	to := unsafe.Slice((*uint64)(unsafe.Pointer(&out[0])), len(offsets))
	codes = codes[:len(offsets)]
	for i, offset := range offsets {
		if at := (*uint64)(unsafe.Add(log, offset)); codes[i] == kvs.Get {
			to[i] = *at
		} else {
			*at = uint64(i)
		}
	}
}

func (f *memoryFloor) copyBytes(codes []kvs.Op, offsets []uint64, out []byte) {
	log, n := f.log.Bytes()[itemHead:], len(f.value)
	for i, offset := range offsets {
		if at := log[offset : offset+uint64(n)]; codes[i] == kvs.Get {
			copy(out[i*n:(i+1)*n], at)
		} else {
			copy(at, f.value)
		}
	}
}
