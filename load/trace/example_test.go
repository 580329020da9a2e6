package trace

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

var update = flag.Bool("update", false, "write examples/trace.csv anew")

// TestExample: the example is what the generator makes. It is short, and yet has what traces have.
func TestExample(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("time_ms,key,key_size,value_size,op,ttl_s\n")
	n := 0
	k := known{operations: 600, keys: 60, zipf: 0.9, gets: 0.85, gap: 20 * time.Millisecond, seed: 11}
	k.each(func(atNs int64, rank, valueBytes int, op kvs.Op) {
		name, ttl := "get", ""
		switch {
		case n%97 == 96:
			name = "incr"
		case n%53 == 52:
			name = "delete"
		case op == kvs.Set:
			name, ttl = "set", "3600"
		}
		fmt.Fprintf(&b, "%d,item:%03d,8,%d,%s,%s\n", atNs/1e6, rank, valueBytes, name, ttl)
		n++
	})
	const path = "../../examples/trace.csv"
	if *update {
		must.Do(t, os.WriteFile(path, b.Bytes(), 0o644))
	}
	if file := must.Get(os.ReadFile(path))(t); !bytes.Equal(file, b.Bytes()) {
		t.Errorf("%s is not what the test makes: go test ./load/trace -run TestExample -update writes it", path)
	}
}
