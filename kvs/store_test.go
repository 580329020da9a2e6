package kvs

import "testing"

func TestTitleOf(t *testing.T) {
	RegisterTitle(&Store{Name: "known", Title: "Known of Old"})
	t.Cleanup(func() { delete(titles, "known") })
	for name, want := range map[string]string{
		"known": "Known of Old", "of-another-build": "of-another-build", "": "(no store)",
	} {
		if got := TitleOf(name); got != want {
			t.Errorf("%q: found %q, want %q", name, got, want)
		}
	}
}

// TestProtocolOf: facts name a protocol alone, or with the version of what carries it.
func TestProtocolOf(t *testing.T) {
	several := &Store{Protocols: []string{"get", "mget"}}
	for told, want := range map[string]string{
		"resp3": "get", "resp2+mget": "mget", "mget": "mget", "": "get",
	} {
		if got := several.ProtocolOf(told); got != want {
			t.Errorf("%q: found %q, want %q", told, got, want)
		}
	}
	if got := new(Store).ProtocolOf("one"); got != "one" {
		t.Errorf("a store with one protocol: found %q", got)
	}
}
