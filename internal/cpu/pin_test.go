package cpu

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"

	"golang.org/x/sys/unix"
)

func TestMayUse(t *testing.T) {
	allowed := must.Get(Allowed())(t)
	must.Do(t, errors.Join(MayUse(nil), MayUse(allowed)))
	other := allowed[len(allowed)-1] + 1
	want := fmt.Sprintf("pin to CPU %d: allowed for this process: %s", other, FormatList(allowed))
	if err := MayUse(append(slices.Clone(allowed), other)); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestPinThread: a pinned thread does not change the CPUs that the process may use.
func TestPinThread(t *testing.T) {
	before := must.Get(Allowed())(t)
	done := make(chan []int)
	go func() { // its thread ends with it
		if err := PinThread(before[len(before)-1]); err != nil {
			t.Error(err)
		}
		mask, _ := readMask()
		done <- mask
	}()
	if got := <-done; !slices.Equal(got, before[len(before)-1:]) {
		t.Errorf("the thread may use %v, want only %d", got, before[len(before)-1])
	}
	if after, _ := Allowed(); !slices.Equal(after, before) {
		t.Errorf("the process may use %v, before %v", after, before)
	}
	if err := PinThread(1 << 9); err == nil {
		t.Error("pinned to a CPU that is not there")
	}
}

// TestPinProcess runs in a process of its own, because it narrows the process's CPUs for good.
func TestPinProcess(t *testing.T) {
	if os.Getenv("PIN_PROCESS") == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestPinProcess$", "-test.v")
		cmd.Env = append(os.Environ(), "PIN_PROCESS=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	all := must.Get(Allowed())(t)
	want := all[len(all)-1:]
	// The kernel would silently pin to the existing CPUs of the list.
	if err := PinProcess(append([]int{1 << 9}, want...)); err == nil || !strings.Contains(err.Error(), "512") {
		t.Errorf("pinned to CPUs of which one is not there: %v", err)
	}
	must.Do(t, PinProcess(want))
	if got, _ := Allowed(); !slices.Equal(got, want) {
		t.Errorf("Allowed() = %v, want %v", got, want)
	}
	masks := make(chan []int)
	for range 4 {
		go func() {
			mask, _ := readMask()
			time.Sleep(time.Millisecond) // on threads of their own
			masks <- mask
		}()
	}
	for range 4 {
		if got := <-masks; !slices.Equal(got, want) {
			t.Errorf("a thread may use %v, want %v", got, want)
		}
	}
}

// lockedThread is a thread that reports its mask on request, and then ends.
func lockedThread() (tid int, mask func() []int) {
	tids, ask, masks := make(chan int), make(chan struct{}), make(chan []int)
	go func() {
		runtime.LockOSThread()
		tids <- unix.Gettid()
		<-ask
		cpus, _ := readMask()
		masks <- cpus
	}()
	return <-tids, func() []int { close(ask); return <-masks }
}

// TestPinAllListsAgain: a thread that an unpinned thread created after the listing is pinned, too.
func TestPinAllListsAgain(t *testing.T) {
	all := must.Get(Allowed())(t)
	want := all[len(all)-1:]
	early, earlyMask := lockedThread()
	late, lateMask := lockedThread()
	lists := 0
	list := func() ([]int, error) {
		if lists++; lists == 1 {
			return []int{early}, nil
		}
		return []int{early, late}, nil
	}
	if err := pinAll(list, want); err != nil || lists != 3 {
		t.Errorf("%d lists, want 3, the last with nothing new: %v", lists, err)
	}
	for _, mask := range []func() []int{earlyMask, lateMask} {
		if got := mask(); !slices.Equal(got, want) {
			t.Errorf("a thread may use %v, want %v", got, want)
		}
	}
}

// TestPinAllGivesUp: pinAll gives up if threads are created faster than it pins them.
func TestPinAllGivesUp(t *testing.T) {
	all := must.Get(Allowed())(t)
	const none = 1 << 30 // above every thread's number
	lists := 0
	list := func() ([]int, error) { lists++; return []int{none + lists}, nil }
	if err := pinAll(list, all); err == nil || lists != pinRounds || !strings.Contains(err.Error(), "new threads") {
		t.Errorf("%d lists: %v", lists, err)
	}
}
