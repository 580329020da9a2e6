package kvstest

import (
	"fmt"
	"net"
	"testing"

	"dpukv/internal/test/must"
)

// Stranger listens for the duration of a test, sends the same bytes to every client, and hangs up.
func Stranger(t testing.TB, says string) (addr string) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(c, says)
			c.Close()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	return l.Addr().String()
}
