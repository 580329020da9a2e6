package ports

import (
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"

	"dpukv/internal/test/must"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Range{
		"0": {}, "7791": {7791, 7791}, "7000-7100": {7000, 7100}, "1-65535": {1, 65535},
	} {
		r, err := Parse(text)
		if err != nil || r != want || r.String() != text {
			t.Errorf("%s: found %+v (%s), %v, want %+v", text, r, r, err, want)
		}
	}
	for _, text := range []string{"", "-", "7000-", "-7000", "7100-7000", "0-10", "65536", "1-65536", "a", "1-2-3"} {
		if r, err := Parse(text); err == nil || !strings.Contains(err.Error(), "allowed: a port of 0 to 65535") {
			t.Errorf("%s: found %+v, %v, want a refusal", text, r, err)
		}
	}
	if n := (Range{7000, 7100}).Count(); n != 101 {
		t.Errorf("found %d ports, want 101", n)
	}
	if n := (Range{}).Count(); n != 65535 {
		t.Errorf("found %d ports of any, want 65535", n)
	}
}

func TestSplit(t *testing.T) {
	host, r, err := Split("[::1]:7000-7001")
	if host != "::1" || r != (Range{7000, 7001}) || err != nil || Join(host, r) != "[::1]:7000-7001" {
		t.Errorf("found %s, %v, %v", host, r, err)
	}
	for addr, want := range map[string]string{
		"nowhere": "HOST:PORT or HOST:FIRST-LAST", "127.0.0.1:70000": "allowed: a port",
	} {
		if _, _, err := Split(addr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, want %q", addr, err, want)
		}
	}
}

// TestListen takes all ports of a range, one after the other, and then none.
func TestListen(t *testing.T) {
	first := must.Get(Listen("127.0.0.1:0"))(t)
	defer first.Close()
	port := first.Addr().(*net.TCPAddr).Port
	if port > most-1 {
		t.Fatalf("found port %d, want one with a next one", port)
	}
	taken := Join("127.0.0.1", Range{port, port})
	if _, err := Listen(taken); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("found %v, want address already in use", err)
	}
	both := Join("127.0.0.1", Range{port, port + 1})
	second, err := Listen(both)
	if err == nil {
		defer second.Close()
		if got := second.Addr().(*net.TCPAddr).Port; got != port+1 {
			t.Errorf("found port %d, want %d", got, port+1)
		}
	} else {
		t.Logf("another program has port %d", port+1)
	}
	if _, err = Listen(both); !errors.Is(err, syscall.EADDRINUSE) ||
		!strings.Contains(err.Error(), "found all 2 ports in use") {
		t.Errorf("found %v, want that all 2 ports are in use", err)
	}
	if _, err := Listen("192.0.2.1:7000-7100"); err == nil || strings.Contains(err.Error(), "in use") {
		t.Errorf("found %v, want that the address is not here", err)
	}
}

// TestBlock finds ports in a row, beside ones that are taken.
func TestBlock(t *testing.T) {
	any, err := Block("127.0.0.1:0", 3)
	if err != nil || any.Count() != 3 || any.First == 0 {
		t.Fatalf("found %v, %v, want 3 ports", any, err)
	}
	taken := must.Get(Listen(Join("127.0.0.1", Range{any.First, any.First})))(t)
	defer taken.Close()
	r, err := Block(Join("127.0.0.1", any), 2)
	if want := (Range{any.First + 1, any.Last}); r != want || err != nil {
		t.Errorf("found %v, %v, want %v", r, err, want)
	}
	if _, err := Block(Join("127.0.0.1", any), 3); !errors.Is(err, syscall.EADDRINUSE) ||
		!strings.Contains(err.Error(), "found no 3 free ports in a row") {
		t.Errorf("found %v, want no 3 free ports", err)
	}
	if _, err := Block(Join("127.0.0.1", any), 4); err == nil ||
		!strings.Contains(err.Error(), "found 3 ports, allowed: 4 or more") {
		t.Errorf("found %v, want a range that is too short", err)
	}
	if _, err := Block("192.0.2.1:7000-7100", 2); err == nil || strings.Contains(err.Error(), "in use") {
		t.Errorf("found %v, want that the address is not here", err)
	}
}
