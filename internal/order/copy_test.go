package order

import (
	"bytes"
	"testing"
)

// TestCopyFrom copies all lengths from all alignments.
func TestCopyFrom(t *testing.T) {
	memory := make([]byte, 64)
	for i := range memory {
		memory[i] = byte(i + 1)
	}
	for from := range 9 {
		for n := range 40 {
			dst := make([]byte, n+1)
			src := memory[from : from+n]
			if got := CopyFrom(dst, src); got != n || !bytes.Equal(dst[:n], src) || dst[n] != 0 {
				t.Errorf("%d bytes from %d: copied %d: %v", n, from, got, dst)
			}
		}
	}
	if n := CopyFrom(make([]byte, 3), memory); n != 3 {
		t.Errorf("into 3 bytes: copied %d", n)
	}
}
