package trace

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// timed is a benchmark that also tells its CPU time.
func timed(b *testing.B, name string, do func(b *testing.B)) {
	b.Run(name, func(b *testing.B) {
		begin := cpu.ProcessNs()
		do(b)
		b.ReportMetric(float64(cpu.ProcessNs()-begin)/float64(b.N), "cpu-ns/op")
	})
}

// BenchmarkCompact reads the compact form. The yardstick adds up the words of the same bytes.
func BenchmarkCompact(b *testing.B) {
	k := known{operations: 1_000_000, keys: 100_000, zipf: 0.9, gets: 0.9, gap: time.Microsecond, seed: 1}
	path := k.write(b)
	f := must.Keep(Open(path))(b)
	sum := uint64(0)
	timed(b, "bare", func(b *testing.B) {
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
		timed(b, name, func(b *testing.B) {
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

// BenchmarkCSV reads one of Twitter's lines an operation. The yardstick finds the ends of the same
// lines.
func BenchmarkCSV(b *testing.B) {
	var text bytes.Buffer
	k := known{operations: 200_000, keys: 50_000, zipf: 0.9, gets: 0.9, gap: time.Millisecond, seed: 1}
	k.each(func(atNs int64, rank, valueBytes int, op kvs.Op) {
		fmt.Fprintf(&text, "%d,q:q:1:8WTfjZU14ee-%d,17,%d,4,%s,0\n", atNs/1e9, rank, valueBytes,
			strings.ToLower(op.String()))
	})
	path := write(b, "x.csv", text.Bytes())
	timed(b, "bare", func(b *testing.B) {
		open := func() *bufio.Scanner { return bufio.NewScanner(must.Get(os.Open(path))(b)) }
		s := open()
		for b.Loop() {
			if !s.Scan() {
				s = open()
			}
		}
	})
	for _, name := range []string{"plain", "zstd"} {
		from := path
		if name == "zstd" {
			from = write(b, "x.zst", compressed(b, text.String()))
		}
		timed(b, name, func(b *testing.B) {
			open := func() *CSV { return must.Get(OpenCSV(b.Context(), from, nil))(b) }
			c := open()
			var r Record
			for b.Loop() {
				if !c.Next(&r) {
					must.Do(b, c.Err())
					must.Do(b, c.Close())
					c = open()
				}
			}
			must.Do(b, c.Close())
		})
	}
}
