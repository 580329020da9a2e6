//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"dpukv/internal/clib"
	"dpukv/verbs"
)

// Device is an opened RDMA device and one of its ports.
type Device struct {
	name string
	lib  *library
	ctx  uintptr // C's ibv_context
	info verbs.DeviceInfo
	// limits on outstanding READs of a connection, as source and as target
	readsOut, readsIn uint8
	port              uint8
	gid               gidEntry
	mtu               int // 0: the port's active one
	maxInline         int
	sysfs             string

	made   children
	events events
}

// Open opens a device. [Probe] reports beforehand whether there is any.
func Open(cfg Config) (verbs.Device, error) {
	lib, err := load()
	if err != nil {
		return nil, err
	}
	ctx, name, err := lib.openContext(cfg.Name)
	if err != nil {
		return nil, err
	}
	device := clib.At[ibvDevice](clib.At[ibvContext](ctx).device)
	d := &Device{
		name: cfg.named(name), lib: lib, ctx: ctx, mtu: cfg.MTU,
		sysfs: unix.ByteSliceToString(device.ibdevPath[:]),
	}
	if err := d.setUp(cfg); err != nil {
		clib.Call(lib.closeDevice, ctx) // its error matters less than the current one
		return nil, err
	}
	return d, nil
}

func (d *Device) setUp(cfg Config) error {
	if err := d.describe(cfg.Port); err != nil {
		return err
	}
	if err := d.selectPort(cfg.GIDIndex, cfg.Address); err != nil {
		return err
	}
	if err := d.findMaxInline(); err != nil {
		return err
	}
	return d.events.start(d)
}

// describe asks the device for its properties and selects the port; 0 stands for the first.
func (d *Device) describe(port int) error {
	var attr ibvDeviceAttr
	rc := clib.Call(d.lib.queryDevice, d.ctx, uintptr(unsafe.Pointer(&attr)))
	if err := d.check(int(int32(rc)), "ibv_query_device"); err != nil {
		return err
	}
	d.info = verbs.DeviceInfo{
		Provider: "ibverbs", Name: d.name, Firmware: unix.ByteSliceToString(attr.fwVer[:]),
		Emulated: d.emulated(attr.vendorID),
		// Firmware may write with relaxed order (PCI_WR_ORDERING), and the network may deliver out
		// of order. The verbs tell neither.
		Placement: verbs.Unknown,
	}
	if port < 0 || port > int(attr.physPortCnt) {
		return fmt.Errorf("%s: found port %d, allowed: 1 to %d", d.name, port, attr.physPortCnt)
	}
	d.port = uint8(max(port, 1))
	// More than 16 READs in flight help nobody, and some devices pay for each.
	const reads = 16
	d.readsOut = uint8(min(attr.maxQPInitRdAtom, reads))
	d.readsIn = uint8(min(attr.maxQPRdAtom, reads))
	return nil
}

// emulated tells the kernel's software devices from NICs: software devices have no bus device.
func (d *Device) emulated(vendor uint32) bool {
	const rxe, siw = 0xffffff, 0x626d74
	_, err := os.Stat(filepath.Join(d.sysfs, "device"))
	return vendor == rxe || vendor == siw || errors.Is(err, os.ErrNotExist)
}

func (d *Device) Info() verbs.DeviceInfo { return d.info }

// Progress does nothing: the device moves packets by itself.
func (d *Device) Progress() (bool, error) { return false, nil }

// Wait yields the CPU, to other goroutines and to other processes. It does not sleep, because a
// peer's write to memory wakes nobody.
func (d *Device) Wait(time.Duration) error {
	runtime.Gosched()
	// It cannot fail.
	_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	return nil
}

// Events returns the kernel's events of the device and its port, without those of every normal
// connection.
func (d *Device) Events(since time.Time) []verbs.Event { return d.events.log.Since(since) }

// Close frees the device and all objects made from it.
func (d *Device) Close() error {
	if d.ctx == 0 {
		return nil
	}
	err := d.events.stop()
	err = errors.Join(err, d.made.closeAll())
	rc, errno := clib.CallErrno(d.lib.closeDevice, d.ctx)
	if int32(rc) != 0 {
		err = errors.Join(err, d.fail(errno, "ibv_close_device"))
	}
	d.ctx = 0
	return err
}

// named returns the device's name for results and errors. It includes the port if the configuration
// names one.
func (c *Config) named(device string) string {
	if c.Port == 0 {
		return device
	}
	return fmt.Sprintf("%s/%d", device, c.Port)
}

// findMaxInline finds how much a QP may send inline. No query reports it, so it creates QPs until
// one is refused. A datagram's work request leaves the least room, so the figure holds for all
// types.
func (d *Device) findMaxInline() (err error) {
	pd, errno := clib.CallErrno(d.lib.allocPD, d.ctx)
	if pd == 0 {
		return d.fail(errno, "ibv_alloc_pd")
	}
	defer func() { err = errors.Join(err, d.release(d.lib.deallocPD, pd, "ibv_dealloc_pd")) }()
	cq, errno := clib.CallErrno(d.lib.createCQ, d.ctx, 1, 0, 0, 0)
	if cq == 0 {
		return d.fail(errno, "ibv_create_cq (1)")
	}
	defer func() { err = errors.Join(err, d.release(d.lib.destroyCQ, cq, "ibv_destroy_cq")) }()
	// A QP refused without inline data has another problem.
	if err := d.tryInline(pd, cq, 0); err != nil {
		return err
	}
	const most = 4096
	d.maxInline = sort.Search(most, func(n int) bool { return d.tryInline(pd, cq, n+1) != nil })
	return nil
}

// tryInline creates a QP and destroys it.
func (d *Device) tryInline(pd, cq uintptr, bytes int) error {
	qp, errno := d.lib.newQP(pd, &ibvQPInitAttr{
		sendCQ: cq, recvCQ: cq, qpType: qptUD,
		cap: ibvQPCap{maxSendWR: 1, maxRecvWR: 1, maxInlineData: uint32(bytes)},
	})
	if qp == 0 {
		return d.fail(errno, "ibv_create_qp (UD, %d bytes inline)", bytes)
	}
	return d.release(d.lib.destroyQP, qp, "ibv_destroy_qp")
}

// Counters returns the port's counters in the kernel. The driver chooses which there are.
func (d *Device) Counters() map[string]uint64 {
	counters := make(map[string]uint64)
	for _, folder := range []string{"counters", "hw_counters"} {
		dir := filepath.Join(d.sysfs, "ports", fmt.Sprint(d.port), folder)
		files, _ := os.ReadDir(dir) // a driver without counters has no folder
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err != nil {
				continue // some ports list counters that they cannot read
			}
			if n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil &&
				f.Name() != "lifespan" {
				counters[f.Name()] = n
			}
		}
	}
	return counters
}
