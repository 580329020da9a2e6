package live

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/kernel"
)

// ask sends a request for a host to the server, wherever that host's name leads.
func ask(t *testing.T, s *Server, host, path string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(body)
}

// TestNamesOfOthersAreRefused: a page of evil.example can have its name lead here.
func TestNamesOfOthersAreRefused(t *testing.T) {
	s, dir := served(t)
	begin(t, dir)
	_, port, _ := net.SplitHostPort(s.listen.Addr().String())
	for host, want := range map[string]int{
		"127.0.0.1:" + port: http.StatusOK,
		"127.0.0.1":         http.StatusOK,
		"localhost:" + port: http.StatusOK,
		"LOCALHOST.":        http.StatusOK,
		"run.localhost:80":  http.StatusOK,
		"localhost:9":       http.StatusOK, // a tunnel's port
		"[::1]:" + port:     http.StatusOK,

		"evil.example:" + port:           http.StatusMisdirectedRequest,
		"evil.example":                   http.StatusMisdirectedRequest,
		"localhost.evil.example":         http.StatusMisdirectedRequest,
		"127.0.0.1.evil.example:" + port: http.StatusMisdirectedRequest,
		"evil-localhost":                 http.StatusMisdirectedRequest,
		"192.0.2.1:" + port:              http.StatusMisdirectedRequest,
		"[2001:db8::1]":                  http.StatusMisdirectedRequest,
	} {
		for _, path := range []string{"", "data.json", "metrics"} {
			if code, body := ask(t, s, host, path); code != want {
				t.Errorf("/%s of %s: found %d, want %d: %.100s", path, host, code, want, body)
			}
		}
	}
	want := `found the host "evil.example", allowed: localhost, 127.0.0.1`
	if _, body := ask(t, s, "evil.example", "events"); !strings.Contains(body, want) {
		t.Errorf("the reason: %s", body)
	}
}

func TestNameThatWasGiven(t *testing.T) {
	for _, test := range []struct {
		address, host string
		want          bool
	}{
		{"Lab.example.org:80", "lab.example.org:80", true},
		{"lab.example.org:80", "lab.example.org.:8080", true},
		{"lab.example.org:80", "evil.example", false},
		{":80", "", false},
		{":80", "evil.example", false},
	} {
		r := &http.Request{Host: test.host}
		if got := hostsOf(test.address).allow(r); got != test.want {
			t.Errorf("at %s, asked for %q: %v", test.address, test.host, got)
		}
	}
}

// silent opens a connection that asks for the page and reads nothing.
func silent(t *testing.T, s *Server) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.listen.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.(*net.TCPConn).SetReadBuffer(4096)
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestReadersThatDoNotRead share one answer, are limited in number, and are cut off.
func TestReadersThatDoNotRead(t *testing.T) {
	s, dir := served(t)
	begin(t, dir)
	m, err := s.folder.model()
	if err != nil {
		t.Fatal(err)
	}
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
	for range 300 {
		readers = append(readers, silent(t, s))
	}
	await(t, "every slot to be taken", func() bool { return len(s.listen.slots) == maxConnections })
	if took := heap() - before; took > 2*pageBytes {
		t.Errorf("300 readers took %d MiB, want at most two pages of %d MiB", took>>20, pageBytes>>20)
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
	c, err := net.Dial("tcp", s.listen.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
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

// TestTooManyWatchers: pages that follow leave room for those that only look.
func TestTooManyWatchers(t *testing.T) {
	s, dir := served(t)
	begin(t, dir)
	s.watching.Store(maxWatchers)
	defer s.watching.Store(0)
	code, body := get(t, s.URL()+"events")
	if code != http.StatusServiceUnavailable || !strings.Contains(body, "too many pages follow") {
		t.Errorf("found %d %s", code, body)
	}
	if code, _ := get(t, s.URL()+"data.json"); code != http.StatusOK {
		t.Errorf("the data: found %d", code)
	}
}

func TestLongHeadersAreRefused(t *testing.T) {
	s, _ := served(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Long", strings.Repeat("x", 2*maxHeaderBytes))
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return // it hung up before all was sent
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("found %d", reply.StatusCode)
	}
}

// TestAnswersAreMadeOnce, however many ask.
func TestAnswersAreMadeOnce(t *testing.T) {
	s, dir := served(t)
	begin(t, dir)
	for _, path := range []string{"", "data.json", "metrics"} {
		_, first := get(t, s.URL()+path)
		if _, again := get(t, s.URL()+path); again != first {
			t.Errorf("/%s: found another answer", path)
		}
	}
	places := func() string {
		return fmt.Sprintf("%p %p %p", s.folder.page.bytes, s.folder.data.bytes, s.folder.metrics.bytes)
	}
	kept := places()
	for _, path := range []string{"", "data.json", "metrics"} {
		get(t, s.URL()+path)
	}
	if now := places(); now != kept || strings.Contains(now, "0x0") {
		t.Errorf("found %s, made before %s", now, kept)
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
