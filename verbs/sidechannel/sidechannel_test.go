package sidechannel

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dpukv/internal/test/must"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func channels(t *testing.T) (a, b *Channel) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	dialed := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	accepted := must.Get(l.Accept())(t)
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
	err := a.Await(&got, func() (bool, error) {
		if turns++; turns == 100 {
			return false, b.Send("enough")
		}
		return turns%2 == 0, nil
	})
	if got != "enough" || err != nil {
		t.Errorf("got %q, %v after %d turns", got, err, turns)
	}
}

func TestAwaitEndsWithItsProgress(t *testing.T) {
	a, _ := channels(t)
	broken := errors.New("the device is gone")
	if err := a.Await(new(int), func() (bool, error) { return false, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestPeerHangsUp(t *testing.T) {
	a, b := channels(t)
	must.Do(t, b.Close())
	if _, err := Swap(a, 1); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want EOF", err)
	}
}

// TestLongValue checks that a value without an end is refused soon after the limit.
func TestLongValue(t *testing.T) {
	a, b := channels(t)
	a.SetLimit(10 << 10)
	stop := make(chan struct{})
	sent := 0
	go func() {
		defer close(stop)
		chunk := []byte("[" + strings.Repeat(" ", 64<<10))
		for range 1000 { // 64 MB, of which sockets hold some
			n, err := b.conn.Write(chunk)
			if sent += n; err != nil {
				return
			}
		}
	}()
	err := a.Receive(new(any))
	if err == nil || !strings.Contains(err.Error(), "found more bytes in a value, allowed: at most 10240 bytes") {
		t.Errorf("got %v", err)
	}
	if held := a.in.Buffered(); held > readBytes {
		t.Errorf("%d bytes were read ahead", held)
	}
	must.Do(t, a.Close())
	<-stop
	t.Logf("%d bytes were sent", sent)
}

// TestSlowValue checks that a peer that sends a byte now and then gets no more time than a silent
// one.
func TestSlowValue(t *testing.T) {
	for _, drip := range []bool{false, true} {
		a, b := channels(t)
		a.SetTimeout(50 * time.Millisecond)
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for drip {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
				}
				if _, err := b.conn.Write([]byte(" ")); err != nil {
					return
				}
			}
		}()
		if err := a.Receive(new(any)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		close(stop)
		<-stopped
	}
}

// TestSlowReader checks that a Send to a peer that reads nothing ends.
func TestSlowReader(t *testing.T) {
	a, _ := channels(t)
	a.SetTimeout(50 * time.Millisecond)
	if err := a.Send(strings.Repeat("x", 64<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestAwaitHasADeadline(t *testing.T) {
	a, _ := channels(t)
	a.SetTimeout(50 * time.Millisecond)
	for _, busy := range []bool{false, true} {
		err := a.Await(new(any), func() (bool, error) { return busy, nil })
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("busy %v: got %v", busy, err)
		}
	}
}

// FuzzStream receives values from any stream. Each ends with a value or an error, within the limit.
func FuzzStream(f *testing.F) {
	f.Add([]byte("1\n\"two\"\n{\"three\":[3]}\n"))
	f.Add([]byte("[[[[[[[[\n"))
	f.Add([]byte("{\"a\":1"))
	f.Add([]byte("\n\n\x00\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		const limit = 100
		c := New(&script{in: bytes.NewReader(stream)})
		c.SetLimit(limit)
		for {
			var v any
			err := c.Receive(&v)
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err != nil &&
				strings.Contains(err.Error(), "more than") {
				return
			}
		}
	})
}

// script is a connection of which everything is known beforehand.
type script struct {
	net.Conn
	in io.Reader
}

func (s *script) Read(b []byte) (int, error)      { return s.in.Read(b) }
func (s *script) SetReadDeadline(time.Time) error { return nil }
func (s *script) RemoteAddr() net.Addr            { return &net.TCPAddr{} }

// TestAwaitEnd checks that the end of the peer, and a value of it, both end the wait.
func TestAwaitEnd(t *testing.T) {
	for want, act := range map[string]func(*Channel) error{
		"EOF":           (*Channel).Close,
		"found a value": func(c *Channel) error { return c.Send(1) },
	} {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		there := must.Get(net.Dial("tcp", l.Addr().String()))(t)
		here := must.Get(l.Accept())(t)
		peer, c := New(there), New(here)
		c.SetTimeout(time.Nanosecond) // it has no effect
		must.Do(t, act(peer))
		if err := c.AwaitEnd(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		_, _, _ = peer.Close(), c.Close(), l.Close()
	}
}
