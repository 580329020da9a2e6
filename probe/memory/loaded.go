package memory

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
	"dpukv/probe/memory/stream"
)

// load keeps CPUs busy with copies, at a share of what they can copy.
type load struct {
	moved atomic.Int64 // bytes read and written
	limit atomic.Int64 // bytes a second of each CPU; 0: none
	stop  atomic.Bool
	all   sync.WaitGroup
	errs  []error
}

const (
	loadBytes  = 256 << 20 // of each CPU's memory: more than its caches
	chunkBytes = 64 << 10  // of a copy between two looks at the clock
	peakTime   = 200 * time.Millisecond
)

// startLoad starts a copier on each CPU, and returns once all have their memory.
func startLoad(cpus []int) (*load, error) {
	l := &load{errs: make([]error, len(cpus))}
	var ready sync.WaitGroup
	ready.Add(len(cpus))
	for i, on := range cpus {
		l.all.Go(func() { l.errs[i] = l.work(on, &ready) })
	}
	ready.Wait()
	if err := errors.Join(l.errs...); err != nil {
		l.stop.Store(true)
		l.all.Wait()
		return nil, err
	}
	return l, nil
}

// end stops the copiers.
func (l *load) end() error {
	l.stop.Store(true)
	l.all.Wait()
	return errors.Join(l.errs...)
}

func (l *load) work(on int, ready *sync.WaitGroup) (err error) {
	runtime.LockOSThread() // it ends with the thread, which stays pinned
	region, err := pinned(on)
	ready.Done()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, region.Free()) }()
	all := unsafe.Slice((*float64)(unsafe.Pointer(&region.Bytes()[0])), loadBytes/8)
	from, to := all[:len(all)/2], all[len(all)/2:]
	const chunk = chunkBytes / 8
	for at, due := 0, cpu.NowNs(); !l.stop.Load(); at = (at + chunk) % len(from) {
		stream.CopyTo(to[at:at+chunk], from[at:at+chunk])
		l.moved.Add(2 * chunkBytes)
		due = l.pace(due)
	}
	return nil
}

func pinned(on int) (*offheap.Region, error) {
	if err := cpu.PinThread(on); err != nil {
		return nil, err
	}
	return offheap.Alloc(loadBytes, offheap.Auto)
}

// pace waits until the next copy is due, and returns when the one after it is.
func (l *load) pace(due int64) int64 {
	limit := l.limit.Load()
	now := cpu.NowNs()
	if limit == 0 {
		return now
	}
	due = max(due, now-sliceNs) + 2*chunkBytes*int64(time.Second)/limit
	for cpu.NowNs() < due && !l.stop.Load() {
		runtime.Gosched()
	}
	return due
}

// holdShare measures what the copiers can move, and lets them move a share of it.
func (l *load) holdShare(ctx context.Context, share float64, cpus int) (peak float64) {
	sleep := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	sleep(peakTime / 4) // the first copies fault in nothing, but fill the caches
	rate := l.meter()
	sleep(peakTime)
	peak = rate()
	l.limit.Store(max(int64(share*peak/float64(cpus)), 1))
	return peak
}

// meter returns a function that tells the bytes a second since now.
func (l *load) meter() func() float64 {
	moved, at := l.moved.Load(), cpu.NowNs()
	return func() float64 {
		return float64(l.moved.Load()-moved) / float64(max(cpu.NowNs()-at, 1)) * 1e9
	}
}
