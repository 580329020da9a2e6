package pipetest

import (
	"testing"

	"dpukv/kvs"
	"dpukv/kvs/internal/pipeline"
)

// Pieces checks that a whole answer and the same answer in pieces parse equally. A beginning must
// never count as a whole answer or as another outcome. The result must lie within the input.
func Pieces(t *testing.T, wire func() pipeline.Wire, in []byte, op kvs.Op) {
	if in = in[:min(len(in), 3000)]; len(in) == 0 {
		return
	}
	whole, err := wire().Read(in, op)
	there := err == nil && whole.Bytes > 0 && whole.Bytes <= len(in)
	if there && (whole.From < 0 || whole.From > whole.To || whole.To > whole.Bytes ||
		whole.To-whole.From > kvs.MaxValueBytes) {
		t.Fatalf("%q: %+v of %d bytes", in, whole, len(in))
	}
	w := wire()
	for n := 1; n < len(in); n++ {
		part, partErr := w.Read(in[:n], op)
		switch {
		case partErr != nil:
			if there && n < whole.Bytes {
				t.Fatalf("%q: refused at %d (%v), and whole it is %+v", in, n, partErr, whole)
			}
			return
		case part.Bytes > 0 && part.Bytes <= n:
			if part != whole {
				t.Fatalf("%q: with %d bytes %+v, with all %+v, %v", in, n, part, whole, err)
			}
			return
		case part.Bytes > n && there && part.Bytes != whole.Bytes:
			t.Fatalf("%q: with %d bytes it wants %d, and has %d", in, n, part.Bytes, whole.Bytes)
		}
	}
}
