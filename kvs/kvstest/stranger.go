package kvstest

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"

	"dpukv/internal/test/must"
)

// Listen serves each client on a goroutine of its own, for the duration of a test. It closes a
// connection when serve returns, and those that are open at the end.
func Listen(t testing.TB, serve func(net.Conn)) (addr string) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	var all sync.WaitGroup
	end, over := context.WithCancel(context.Background())
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			stop := context.AfterFunc(end, func() { c.Close() })
			all.Go(func() {
				defer c.Close()
				defer stop()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		over()
		all.Wait()
	})
	return l.Addr().String()
}

// Stranger listens for the duration of a test, sends the same bytes to every client, and hangs up.
func Stranger(t testing.TB, says string) (addr string) {
	t.Helper()
	return Listen(t, func(c net.Conn) { fmt.Fprint(c, says) })
}
