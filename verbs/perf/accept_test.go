package perf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	return must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
}

// TestStrangersBeforeTheClient checks that bad connections do not keep a waiting server from its
// client. They send nothing, garbage, too much, or an impossible measurement.
func TestStrangersBeforeTheClient(t *testing.T) {
	dev := openDevice(t, "shm")
	l := listen(t)
	refused := make(chan error, 100)
	served := make(chan error, 1)
	go func() {
		client, err := Accept(t.Context(), l, func(err error) { refused <- err })
		if err == nil {
			err = errors.Join(Serve(t.Context(), dev, client, Observer{}), client.Close())
		}
		served <- err
	}()
	wrong := Defaults(Latency)
	wrong.Sizes = []int{-1}
	said := must.Get(json.Marshal(wrong))(t)
	for _, text := range []string{"GET / HTTP/1.0\n", "{}\n", strings.Repeat("[", 1<<20), string(said) + "\n"} {
		conn := must.Get(net.Dial("tcp", l.Addr().String()))(t)
		defer conn.Close()
		_, _ = conn.Write([]byte(text)) // the server may hang up in the middle
		select {
		case err := <-refused:
			t.Log(err)
		case <-time.After(time.Minute):
			t.Fatalf("%.20q was not refused", text)
		}
	}
	for range maxHellos / 2 { // and some that say nothing
		defer must.Get(net.Dial("tcp", l.Addr().String()))(t).Close()
	}
	conn := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	defer conn.Close()
	report, err := Run(t.Context(), dev, conn, small(Latency, Write, verbs.RC), Observer{})
	if err := errors.Join(err, <-served); err != nil || len(report.Points) != 4 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestAcceptEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	l := listen(t)
	var team sync.WaitGroup
	team.Go(func() {
		if c, err := Accept(ctx, l, nil); c != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, %v", c, err)
		}
	})
	silent := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	defer silent.Close()
	stop()
	team.Wait()
}

// TestAcceptSurvives the lack of descriptors.
func TestAcceptSurvives(t *testing.T) {
	l := &poor{Listener: listen(t), lacks: 3}
	var team sync.WaitGroup
	team.Go(func() {
		c, err := Accept(t.Context(), l, nil)
		if err != nil {
			t.Error(err)
			return
		}
		c.Close()
	})
	conn := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "%s\n", must.Get(json.Marshal(Defaults(Latency)))(t)); err != nil {
		t.Error(err)
	}
	team.Wait()
}

// poor is a listener that lacks descriptors at first.
type poor struct {
	net.Listener
	lacks int
}

func (l *poor) Accept() (net.Conn, error) {
	if l.lacks--; l.lacks >= 0 {
		return nil, errors.New("accept: too many open files")
	}
	return l.Listener.Accept()
}

// TestConfigHasBounds checks that a client's configuration never makes an end take more than
// MaxMemory.
func TestConfigHasBounds(t *testing.T) {
	for what, spoil := range map[string]func(*Config){
		"QPs":      func(c *Config) { c.QPs, c.Sizes = 1024, []int{MaxBytes} },
		"TX depth": func(c *Config) { c.QPs, c.TxDepth, c.CQMod = 1024, 1<<20, 1 },
		"RX depth": func(c *Config) { c.QPs, c.RxDepth = 1024, 1<<20 },
		"inline":   func(c *Config) { c.Inline, c.TxDepth, c.CQMod = 1<<20, 1<<20, 1 },
		"sizes":    func(c *Config) { c.Sizes = make([]int, 1001) },
	} {
		c := Defaults(Bandwidth)
		spoil(&c)
		if err := c.Check(); err == nil {
			t.Errorf("%s: %+v passes", what, c)
		} else {
			t.Log(err)
		}
	}
	for _, c := range []Config{
		Defaults(Latency), Defaults(Bandwidth),
		{Iters: 1 << 40, QPs: 1024},
		{Duration: 1<<63 - 1},
	} {
		if d := c.pointTimeout(MaxBytes); d < stepTimeout {
			t.Errorf("%+v: %v for a point", c, d)
		}
	}
}
