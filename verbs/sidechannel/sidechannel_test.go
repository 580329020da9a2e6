package sidechannel

import (
	"errors"
	"io"
	"net"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func channels(t *testing.T) (a, b *Channel) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dialed, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	a, b = New(dialed), New(accepted)
	t.Cleanup(func() { _, _ = a.Close(), b.Close() }) // a test may have closed one
	return a, b
}

func TestSwapIsABarrier(t *testing.T) {
	a, b := channels(t)
	theirs := make(chan int)
	go func() {
		v, err := Swap(b, 2)
		if err != nil {
			t.Error(err)
		}
		theirs <- v
	}()
	if v, err := Swap(a, 1); v != 2 || err != nil {
		t.Errorf("got %d, %v", v, err)
	}
	if v := <-theirs; v != 1 {
		t.Errorf("the peer got %d", v)
	}
}

func TestAwaitMakesProgress(t *testing.T) {
	a, b := channels(t)
	turns := 0
	var got string
	err := a.Await(&got, func() error {
		if turns++; turns == 100 {
			return b.Send("enough")
		}
		return nil
	})
	if got != "enough" || err != nil {
		t.Errorf("got %q, %v after %d turns", got, err, turns)
	}
}

func TestAwaitEndsWithItsProgress(t *testing.T) {
	a, _ := channels(t)
	broken := errors.New("the device is gone")
	if err := a.Await(new(int), func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestPeerHangsUp(t *testing.T) {
	a, b := channels(t)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Swap(a, 1); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want EOF", err)
	}
}
