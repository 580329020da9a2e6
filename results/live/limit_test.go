package live

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
)

// silent opens a connection that asks for the page and reads nothing.
func silent(t *testing.T, s *Server) net.Conn {
	t.Helper()
	c := must.Get(net.Dial("tcp", s.listen.Addr().String()))(t)
	t.Cleanup(func() { c.Close() })
	_ = c.(*net.TCPConn).SetReadBuffer(4096)
	must.Get(io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))(t)
	return c
}

// TestReadersThatDoNotRead: readers that do not read share one answer, are limited in number, and
// are disconnected.
func TestReadersThatDoNotRead(t *testing.T) {
	s, dir := servedWith(t, 2*time.Second)
	begin(t, dir)
	m := must.Get(s.folder.model())(t)
	const pageBytes = 32 << 20
	s.folder.page.model, s.folder.page.bytes = m, make([]byte, pageBytes)
	heap := func() uint64 {
		runtime.GC()
		var of runtime.MemStats
		runtime.ReadMemStats(&of)
		return of.HeapAlloc
	}
	before := heap()
	var readers []net.Conn
	await(t, "every slot to be taken", func() bool { // on a busy machine, the first may be cut off by then
		for range 300 {
			if len(s.listen.slots) == maxConnections {
				return true
			}
			readers = append(readers, silent(t, s))
		}
		return len(s.listen.slots) == maxConnections
	})
	if took := heap() - before; took > 2*pageBytes {
		t.Errorf("%d readers took %d MiB, want at most two pages of %d MiB", len(readers), took>>20,
			pageBytes>>20)
	}
	await(t, "the readers to be cut off", func() bool {
		reply, err := http.Get(s.URL() + "data.json")
		if err != nil {
			return false
		}
		defer reply.Body.Close()
		return reply.StatusCode == http.StatusOK
	})
	for _, c := range readers {
		_ = c.Close()
	}
	await(t, "the server to let go of them", func() bool {
		http.DefaultClient.CloseIdleConnections()
		return len(s.listen.slots) == 0
	})
}

func TestTooManyAreTold(t *testing.T) {
	s, dir := served(t)
	begin(t, dir)
	for range maxConnections {
		s.listen.slots <- struct{}{}
	}
	c := must.Get(net.Dial("tcp", s.listen.Addr().String()))(t)
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(kernel.Timeout(10 * time.Second)))
	status, err := bufio.NewReader(c).ReadString('\n')
	if err != nil || status != "HTTP/1.1 503 Service Unavailable\r\n" {
		t.Errorf("found %q, %v", status, err)
	}
	for range maxConnections {
		<-s.listen.slots
	}
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	end := time.Now().Add(kernel.Timeout(time.Minute))
	for ; time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("waited in vain for %s", what)
}
