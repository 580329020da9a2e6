package sweep

import (
	"strings"
	"testing"

	"dpukv/kvs/stores"
)

func TestKeysAreDescribed(t *testing.T) {
	for _, k := range Keys() {
		if !strings.HasSuffix(k.Help, ".") || k.Allowed == "" || k.Default == "" {
			t.Errorf("%s: found %+v, want a sentence of help, what is allowed and the default", k.Name, k)
		}
	}
}

func TestExamplesOfKeysAreAllowed(t *testing.T) {
	for _, k := range Keys() {
		if _, err := Parse("example.yaml", []byte(k.Name+": "+k.Example)); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
}

func TestDefaultsOfKeys(t *testing.T) {
	want := map[string]string{
		"store": "mica", "client_threads": "[1, 2, 4, 8]", "repeats": "6",
		"access":    "erew (mica, herd, onesided, redis), crcw (memcached)",
		"key_bytes": "8 (mica, memcached, redis), 16 (herd, onesided)",
	}
	for _, k := range Keys() {
		known := k.Default
		for _, added := range stores.Names()[5:] { // with defaults of its own
			known = strings.ReplaceAll(known, ", "+added, "")
		}
		if text, given := want[k.Name]; given && known != text {
			t.Errorf("%s: found the default %q, want %q", k.Name, known, text)
		}
	}
}
