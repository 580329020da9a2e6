package packetfilter

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, text := range []string{
		"drop-client:192.0.2.1-192.0.2.9", "drop-client:192.0.2.1 drop-client:10.0.0.9-10.0.1.9",
		"drop-client:255.255.255.255",
		"drop-key-hash:0", "drop-key-hash:2-4 drop-key-hash:9", "count-opcode",
		"drop-client:192.0.2.1 drop-key-hash:4095 count-opcode", "",
	} {
		f, err := Parse(strings.Fields(text))
		if err != nil || f.String() != text {
			t.Errorf("%s became %s, %v", text, f, err)
		}
	}
	if f, err := Parse([]string{"none"}); err != nil || !f.None() || f.ReadsRequests() {
		t.Error(f, err)
	}
	if f, err := Parse([]string{
		"drop-client:10.0.0.1-10.0.0.3", "drop-client:10.0.0.2", "drop-key-hash:1",
		"drop-key-hash:0-1",
	}); err != nil || f.Rules() != 5 {
		t.Error("asked for twice:", f, err)
	}
}

func TestWhatCannotBeParsed(t *testing.T) {
	for word, want := range map[string]string{
		"drop": "allowed: none, drop-client", "drop-client": "an IPv4 address", "drop-client:x": "an IPv4 address",
		"drop-client:::1":                 "an IPv4 address",
		"drop-client:192.0.2.9-192.0.2.1": "an IPv4 address", "drop-client:10.0.0.0-10.255.255.255": "at most 1000",
		"drop-client:10.0.0.1-": "an IPv4 address",
		"drop-key-hash:":        "a partition from 0 to 4095", "drop-key-hash:-1": "a partition",
		"drop-key-hash:3-2": "a partition", "drop-key-hash:4096": "a partition",
		"drop-key-hash:0-1000": "at most 1000", "count-opcode:get": "it counts all operations",
		"none:": "allowed: none",
	} {
		if f, err := Parse([]string{word}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want %q", word, f, err, want)
		}
	}
}

// FuzzWords: an accepted filter survives the round trip through its own words.
func FuzzWords(f *testing.F) {
	for _, s := range []string{
		"none", "drop-client:10.0.0.1-10.0.0.9 count-opcode",
		"drop-key-hash:3 drop-key-hash:1-2", "drop-client:255.255.255.254-255.255.255.255",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(strings.Fields(text))
		if err != nil {
			return
		}
		b, err := Parse(strings.Fields(a.String()))
		if err != nil || !slices.Equal(a.DropClients, b.DropClients) ||
			!slices.Equal(a.DropPartitions, b.DropPartitions) || a.CountOpcodes != b.CountOpcodes {
			t.Errorf("%q became %q, and that %q, %v", text, a, b, err)
		}
	})
}
