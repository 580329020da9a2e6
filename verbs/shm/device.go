package shm

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"dpukv/internal/machine"
	"dpukv/internal/offheap"
	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// Config configures a device.
type Config struct {
	// ArenaBytes is the most memory that the device can allocate. Unused memory costs nothing. 0:
	// [DefaultArenaBytes], or emulatedArenaBytes under an emulator.
	ArenaBytes int
}

const (
	// DefaultArenaBytes is a size of address space.
	DefaultArenaBytes = 16 << 30
	// emulatedArenaBytes is for qemu-user, which keeps a record of every page that was ever mapped.
	// A hundred arenas of the default size, mapped and unmapped, leave it with 24 GB.
	emulatedArenaBytes = 1 << 30
	// MTU is the longest datagram.
	MTU = 4096
)

// Device is an opened device. It is used as a [verbs.Device].
type Device struct {
	arena  *arena
	handle handle

	mu      sync.Mutex
	heap    heap
	regions table
	queues  table
	domains uint32 // ever made
	peers   map[[16]byte]*peer
	// handles are the address handles, by number. Senders read the list without a lock.
	handles atomic.Pointer[[]*peer]
	closed  bool
	events  verbs.EventLog
	// unchecked are the bytes of regions since fits last asked for available memory.
	unchecked int
	// populate backs memory, and available is [offheap.Fits]. Tests make them fail.
	populate  func(a *arena, fd int, start, size uint64) error
	available func(size int64, pages offheap.Pages) error
}

var _ verbs.Device = (*Device)(nil)

// Open opens a device.
func Open(cfg Config) (*Device, error) {
	if cfg.ArenaBytes == 0 {
		cfg.ArenaBytes = defaultArenaBytes()
	}
	if least := int(heapStart) + pageBytes; cfg.ArenaBytes < least {
		return nil, fmt.Errorf("open shm: found an arena of %d bytes, allowed: at least %d",
			cfg.ArenaBytes, least)
	}
	a, fd, err := newArena(cfg.ArenaBytes &^ (pageBytes - 1))
	if err != nil {
		return nil, fmt.Errorf("open shm: %w", err)
	}
	d := &Device{
		arena: a, handle: handle{os.Getpid(), fd, a.header().id},
		heap:    newHeap(a, fd),
		regions: newTable(32 - indexBits), queues: newTable(24 - indexBits),
		peers: map[[16]byte]*peer{}, populate: populate,
		available: offheap.Fits,
	}
	d.handles.Store(new([]*peer))
	return d, nil
}

func defaultArenaBytes() int {
	if machine.Emulator() != "" {
		return emulatedArenaBytes
	}
	return DefaultArenaBytes
}

func (d *Device) Info() verbs.DeviceInfo {
	return verbs.DeviceInfo{
		Provider: "shm",
		Name:     fmt.Sprintf("shm %d:%d", d.handle.pid, d.handle.fd), Emulated: true,
		Placement: verbs.LastWord,
	}
}

// Port returns a port that is always up.
func (d *Device) Port() (verbs.Port, error) {
	return verbs.Port{
		Number: 1, Active: true, LinkLayer: verbs.LinkMemory, MTU: MTU,
		GID: verbs.GID(d.handle.id), MaxInline: MTU,
	}, nil
}

// Progress does nothing: senders write into receivers' memory themselves.
func (d *Device) Progress() (bool, error) { return false, nil }

// Wait yields the CPU. Messages arrive without a notification.
func (d *Device) Wait(time.Duration) error {
	_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) // it has no errors
	return nil
}

// Events returns overruns of completion queues and errors of RC queue pairs. There is no port that
// could go down.
func (d *Device) Events(since time.Time) []verbs.Event { return d.events.Since(since) }

// Counters returns the counters in the arena, where peers count too.
func (d *Device) Counters() map[string]uint64 {
	counters := make(map[string]uint64, numCounters)
	for c, name := range counterNames {
		counters[name] = atomic.LoadUint64(d.arena.counter(counter(c)))
	}
	return counters
}

// count counts an access that the arena refused.
func (a *arena) count(c counter) { atomic.AddUint64(a.counter(c), 1) }

// AllocPD makes a protection domain. Its queue pairs reach only its regions.
func (d *Device) AllocPD() (verbs.PD, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, verbs.ErrClosed
	}
	d.domains++
	return &pd{d, d.domains}, nil
}

func (d *Device) CreateCQ(depth int) (verbs.CQ, error) {
	if depth < 1 {
		return nil, fmt.Errorf("completion queue: found a depth of %d, allowed: 1 or more", depth)
	}
	return &cq{device: d, depth: depth}, nil
}

func (d *Device) over() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}

// Close makes the device unreachable for its peers. Nobody may use its memory regions afterwards.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	d.arena.header().closed.Store(1)
	var errs []error
	for _, p := range d.peers {
		errs = append(errs, p.arena.unmap())
	}
	return errors.Join(append(errs, d.arena.unmap(), unix.Close(d.handle.fd))...)
}
