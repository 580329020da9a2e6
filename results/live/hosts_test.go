package live

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// ask sends a request for a host to the server, regardless of the host's real address.
func ask(t *testing.T, s *Server, host, path string) (int, string) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+path, nil))(t)
	r.Host = host
	reply := must.Get(http.DefaultClient.Do(r))(t)
	defer reply.Body.Close()
	body := must.Get(io.ReadAll(reply.Body))(t)
	return reply.StatusCode, string(body)
}

// TestNamesOfOthersAreRefused: the name of evil.example can resolve to this server.
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
	want := `host: found "evil.example", allowed: localhost, 127.0.0.1`
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
