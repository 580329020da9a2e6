package clock

import (
	"errors"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
)

func TestCounterAdvancesAtItsRate(t *testing.T) {
	if CounterName() == "" {
		t.Skip("no counter is read on " + runtime.GOARCH)
	}
	hz, source := CounterHz()
	if hz < 1e6 || hz > 10e9 || source == "" {
		t.Errorf("the %s ticks at %v Hz (%s)", CounterName(), hz, source)
	}
	before := Counter()
	if after := Counter(); after < before {
		t.Errorf("%d, then %d", before, after)
	}
}

func TestCoreHz(t *testing.T) {
	if CounterName() == "" {
		t.Skip("no chain of additions on " + runtime.GOARCH)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// An emulator is slow; no core is above 10 GHz.
	if hz := CoreHz(); hz < 1e6 || hz > 10e9 {
		t.Errorf("the core runs at %v Hz", hz)
	}
}

// The chain performs the stated number of additions.
func TestChainIsAChain(t *testing.T) {
	if CounterName() == "" {
		t.Skip("no chain of additions on " + runtime.GOARCH)
	}
	if got, want := addChain(10), uint64(1+3*64*10); got != want {
		t.Errorf("the chain sums to %d, want %d", got, want)
	}
}

// A counter that the kernel has taken away reads as an empty file. It must not pass for 0 cycles.
func TestCounterThatIsTakenIsAnError(t *testing.T) {
	fd := must.Get(unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0))(t)
	c := &Events{fd, ErrNoCycles}
	defer c.Close()
	if n, err := c.Read(); !errors.Is(err, ErrNoCycles) {
		t.Errorf("found %d cycles, %v, want ErrNoCycles", n, err)
	}
}

func TestCyclesCountOrSayWhyNot(t *testing.T) { testEvents(t, OpenCycles, ErrNoCycles) }

func TestInstructionsCountOrSayWhyNot(t *testing.T) {
	testEvents(t, OpenInstructions, ErrNoInstructions)
}

func testEvents(t *testing.T, open func() (*Events, error), none error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := open()
	if errors.Is(err, none) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	before, err1 := c.Read()
	for start := cpu.ThreadNs(); cpu.ThreadNs() < start+1e6; {
	}
	after, err2 := c.Read()
	if err := errors.Join(err1, err2); err != nil || after <= before {
		t.Errorf("%d events, a millisecond later %d, %v", before, after, err)
	}
}
