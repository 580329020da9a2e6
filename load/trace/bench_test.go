package trace

import (
	"encoding/binary"
	"os"
	"testing"
	"time"

	"dpukv/internal/test/must"
)

// BenchmarkCompact reads the compact form. The yardstick adds up the words of the same bytes.
func BenchmarkCompact(b *testing.B) {
	k := known{operations: 1_000_000, keys: 100_000, zipf: 0.9, gets: 0.9, gap: time.Microsecond, seed: 1}
	path := k.write(b)
	f := must.Keep(Open(path))(b)
	sum := uint64(0)
	b.Run("bare", func(b *testing.B) {
		data := must.Get(os.ReadFile(path))(b)[headerSize:]
		b.SetBytes(recordSize)
		at := 0
		for b.Loop() {
			for i := range recordSize / 8 {
				sum += binary.LittleEndian.Uint64(data[at+8*i:])
			}
			if at += recordSize; at == len(data) {
				at = 0
			}
		}
	})
	for name, cut := range map[string]Cut{"all": {}, "half": {Parts: 2}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(recordSize)
			c := f.Cursor(cut)
			var r Record
			for b.Loop() {
				if !c.Next(&r) {
					must.Do(b, c.Err())
					c = f.Cursor(cut)
				}
				sum += r.Key
			}
		})
	}
}
