//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"bytes"
	_ "embed"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"dpukv/internal/clib"
	"dpukv/internal/offheap"
	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/verbs"
)

// dmaEngine is the source of a device without hardware.
//
//go:embed testdata/dmaengine.c
var dmaEngine string

// The modes of testdata/dmaengine.c.
const (
	modeWell = iota
	modeOtherDriver
	modeNoEngine
	modeNoQP
	modeLost
	modeOtherOperation
)

// rig builds the device without hardware, and returns its functions.
func rig(t *testing.T) (*library, *copierLibrary, func(name string, args ...uintptr) uintptr) {
	t.Helper()
	kernel.NeedNative(t)
	so := filepath.Join(t.TempDir(), "dmaengine.so")
	cmd := exec.CommandContext(t.Context(), compilers[runtime.GOARCH], "-shared", "-fPIC", "-O1", "-o", so,
		"-x", "c", "-")
	cmd.Stdin = strings.NewReader(dmaEngine)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("%s builds no device (%v: %s): make deps-release", compilers[runtime.GOARCH], err, out)
	}
	lib := must.Get(loadFrom(so))(t)
	own := must.Get(loadCopier(so, so))(t)
	c := must.Get(clib.Open(so))(t)
	return lib, own, func(name string, args ...uintptr) uintptr {
		f := must.Get(c.Symbol(name))(t)
		return clib.Call(f, args...)
	}
}

// TestCopier copies in both directions, polled and with events, and leaves nothing.
func TestCopier(t *testing.T) {
	lib, own, call := rig(t)
	for _, events := range []bool{false, true} {
		d := &Device{name: "mlx5_0", lib: lib, ctx: call("fake_device", modeWell), port: 1}
		c := must.Get(newCopier(d, own, 16, events))(t)
		if c.MaxBytes() != 1<<21 {
			t.Errorf("the longest copy has %d bytes", c.MaxBytes())
		}
		near, far := region(t, 4096), region(t, 1<<16)
		nearKey, farKey := must.Get(c.Register(near))(t), must.Get(c.Register(far))(t)
		for i := range near {
			near[i] = byte(i * 7)
		}
		for i := range 16 {
			must.Do(t, c.Copy(far[4096*i:][:4096], farKey, near, nearKey))
		}
		reap(t, c, 16)
		if !bytes.Equal(far, bytes.Repeat(near, 16)) {
			t.Error("the copies have other bytes")
		}
		clear(near)
		must.Do(t, c.Copy(near[:100], nearKey, far[5:105], farKey))
		reap(t, c, 1)
		if !bytes.Equal(near[:100], far[5:105]) || near[100] != 0 {
			t.Error("a part was copied with other bytes")
		}
		if armed := call("fake_armed") > 0; armed != events {
			t.Errorf("events %v: notifications %v", events, armed)
		}
		if err := c.free(); err != nil || call("fake_live") != 0 {
			t.Errorf("%v, and %d objects stay", err, call("fake_live"))
		}
	}
}

func reap(t *testing.T, c *Copier, n int) {
	t.Helper()
	for n > 0 {
		done, err := c.Done()
		if err != nil || done > n {
			t.Fatalf("%d of %d done, %v", done, n, err)
		}
		n -= done
	}
}

func region(t *testing.T, bytes int) []byte {
	t.Helper()
	r := must.Get(offheap.Alloc(bytes, offheap.Small))(t)
	t.Cleanup(func() { _ = r.Free() })
	return r.Bytes()[:bytes]
}

// TestNoCopier: a device without a DMA engine is refused with the reason, and nothing stays.
func TestNoCopier(t *testing.T) {
	lib, own, call := rig(t)
	for mode, want := range map[uintptr]string{
		modeOtherDriver: "only devices of the driver mlx5 have a DMA engine",
		modeNoEngine:    "found a longest copy of 0 bytes",
		modeNoQP:        "mlx5dv_create_qp (RC with memcpy, 16 copies): EINVAL",
	} {
		d := &Device{name: "mlx5_0", lib: lib, ctx: call("fake_device", mode), port: 1}
		_, err := newCopier(d, own, 16, true)
		if err == nil || !strings.Contains(err.Error(), want) || call("fake_live") != 0 {
			t.Errorf("got %v, want %q; %d objects stay", err, want, call("fake_live"))
		}
		if mode != modeNoQP && !errors.Is(err, verbs.ErrNotSupported) {
			t.Errorf("%v is no ErrNotSupported", err)
		}
	}
	if _, err := loadCopier("libc.so.6", "libnone.so.1"); !errors.Is(err, verbs.ErrNotSupported) {
		t.Errorf("got %v", err)
	}
}

// TestCopierFails: a copy that fails, or that never completes, has a bounded end with its reason.
func TestCopierFails(t *testing.T) {
	lib, own, call := rig(t)
	for name, test := range map[string]struct {
		mode   uintptr
		events bool
		key    uint32
		want   string
	}{
		"foreign memory":  {modeWell, false, 5, "copy: local protection error"},
		"never complete":  {modeLost, true, 0, "found no completion of a copy within 20ms"},
		"other operation": {modeOtherOperation, true, 0, "found the completion of operation 0, allowed: 137"},
	} {
		d := &Device{name: "mlx5_0", lib: lib, ctx: call("fake_device", test.mode), port: 1}
		c := must.Get(newCopier(d, own, 16, test.events))(t)
		c.patience = 20 * time.Millisecond
		memory := region(t, 4096)
		key := must.Get(c.Register(memory))(t)
		if test.key != 0 {
			key = test.key
		}
		must.Do(t, c.Copy(memory[:64], key, memory[64:128], key))
		var err error
		for n := 0; n == 0 && err == nil; {
			n, err = c.Done()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
		if err := c.free(); err != nil || call("fake_live") != 0 {
			t.Errorf("%s: %v, and %d objects stay", name, err, call("fake_live"))
		}
	}
}

// TestCopiesAllocateNothing: a copy and its completion are calls into C alone.
func TestCopiesAllocateNothing(t *testing.T) {
	lib, own, call := rig(t)
	d := &Device{name: "mlx5_0", lib: lib, ctx: call("fake_device", modeWell), port: 1}
	c := must.Get(newCopier(d, own, 16, false))(t)
	memory := region(t, 4096)
	key := must.Get(c.Register(memory))(t)
	if n := testing.AllocsPerRun(100, func() {
		must.Do(t, c.Copy(memory[:64], key, memory[64:128], key))
		reap(t, c, 1)
	}); n != 0 {
		t.Errorf("a copy allocates %v times", n)
	}
	if err := c.free(); err != nil {
		t.Error(err)
	}
}
