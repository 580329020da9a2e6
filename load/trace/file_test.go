package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"dpukv/internal/test/must"
)

func TestOpenRefuses(t *testing.T) {
	good := must.Get(os.ReadFile(small.write(t)))(t)
	change := func(at int, b ...byte) []byte {
		data := bytes.Clone(good)
		copy(data[at:], b)
		return data
	}
	other := change(16, 9)
	binary.LittleEndian.PutUint64(other[headerSumAt:], xxhash.Sum64(other[:headerSumAt]))
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "found no trace in the compact form; to do: make one of a CSV file: dpukv trace convert"},
		{"CSV", []byte("1,a,1,1,1,get,0\n"), "dpukv trace convert"},
		{"cut header", good[:100], "found 100 bytes, allowed: 4096 or more: it is cut off"},
		{"cut", good[:len(good)-1], "for 30000 operations: it is cut off or changed"},
		{"longer", append(good, 0), "it is cut off or changed"},
		{"newer", change(8, 2), "found version 2 of a trace, allowed: 1"},
		{"damaged", change(100, 0xff), "found a damaged header"},
		{"other operations", other, "found a summary of other operations"},
	} {
		_, err := Open(write(t, test.name, test.data))
		must.Fail(t, err, test.want)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: found %v", err)
	}
}

// TestDamage: a cursor ends at a record that is none, and names it. Check finds every change.
func TestDamage(t *testing.T) {
	good := must.Get(os.ReadFile(small.write(t)))(t)
	const record = 5000
	at := headerSize + record*recordSize
	for want, change := range map[string]func(b []byte){
		"an operation that does not exist": func(b []byte) { b[23] = 5 },
		"a time before":                    func(b []byte) { clear(b[:8]) },
		"a key beyond the trace's last":    func(b []byte) { b[12] = 1 },
		"a key of too few bytes":           func(b []byte) { b[13] = 0 },
		"a value larger":                   func(b []byte) { b[22] = 1 },
		"bits that no record has":          func(b []byte) { b[15] = 1 },
		"":                                 func(b []byte) { b[20] ^= 1 }, // of the value's size
	} {
		data := bytes.Clone(good)
		change(data[at : at+recordSize])
		f := must.Keep(Open(write(t, "x", data)))(t)
		if f.Check() == nil {
			t.Errorf("%s: Check found nothing", want)
		}
		c := f.Cursor(Cut{})
		n := 0
		for r := (Record{}); c.Next(&r); n++ {
		}
		if want == "" {
			must.Do(t, c.Err())
			continue
		}
		err := c.Err()
		if err == nil || n != record || !strings.Contains(err.Error(), "operation 5000: found "+want) {
			t.Errorf("%s: found %v after %d operations", want, c.Err(), n)
		}
	}
	f := must.Keep(Open(small.write(t)))(t)
	must.Do(t, f.Check())
}

// TestIdentify: the digest is that of the bytes, and is computed anew only for a file that changed.
func TestIdentify(t *testing.T) {
	path := small.write(t)
	f := must.Keep(Open(path))(t)
	told := 0
	identify := func(known *Identity) *Identity {
		return must.Get(f.Identify(known, func(uint64) { told++ }))(t)
	}
	sum := sha256.Sum256(must.Get(os.ReadFile(path))(t))
	id := identify(nil)
	if id.SHA256 != hex.EncodeToString(sum[:]) || id.Bytes != f.Size() {
		t.Errorf("found %+v", id)
	}
	known := *id
	known.SHA256 = "as known"
	if got := identify(&known); got.SHA256 != "as known" {
		t.Errorf("of the same file: found %+v", got)
	}
	known.ChangedNs--
	if got := identify(&known); got.SHA256 != id.SHA256 {
		t.Errorf("of a changed file: found %+v", got)
	}
}

// FuzzOpen: no file makes Open or a cursor fail otherwise than by an error. The header's sum is made
// right, or hardly any input would pass it.
func FuzzOpen(f *testing.F) {
	good := must.Get(os.ReadFile((&known{operations: 3, keys: 2}).write(f)))(f)
	f.Add(good[:summaryAt], bytes.TrimRight(good[summaryAt:headerSumAt], "\x00"), good[headerSize:])
	path := filepath.Join(f.TempDir(), "x")
	f.Fuzz(func(t *testing.T, head, summary, records []byte) {
		data := make([]byte, headerSize)
		copy(data, head[:min(len(head), summaryAt)])
		copy(data[summaryAt:headerSumAt], summary)
		binary.LittleEndian.PutUint64(data[headerSumAt:], xxhash.Sum64(data[:headerSumAt]))
		must.Do(t, os.WriteFile(path, append(data, records...), 0o600))
		file, err := Open(path)
		if err != nil {
			return
		}
		c := file.Cursor(Cut{Part: 1, Parts: 2})
		for r := (Record{}); c.Next(&r); {
			p := pack(&r)
			if fault := p.fault(file.Summary().Keys, 0); fault != "" {
				t.Fatalf("%+v: found %s", r, fault)
			}
		}
		_, _ = file.Stats(t.Context())
		must.Do(t, file.Close())
	})
}
