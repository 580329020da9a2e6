package memcached

import (
	"fmt"
	"testing"

	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/pipetest"
)

// benchWires are the protocols, each with the answer to a GET.
func benchWires() map[string]struct {
	wire   pipeline.Wire
	answer []byte
} {
	binary := appendPacket(nil, opGet, 4, 0, 8)
	binary[0] = magicResponse
	return map[string]struct {
		wire   pipeline.Wire
		answer []byte
	}{
		Meta:   {meta{}, []byte("VA 8\r\n12345678\r\n")},
		Binary: {classic{}, append(binary, "\x00\x00\x00\x0012345678"...)},
	}
}

func BenchmarkWire(b *testing.B) {
	for protocol, w := range benchWires() {
		b.Run("protocol="+protocol, func(b *testing.B) { pipetest.BenchWire(b, w.wire, w.answer) })
	}
}

func BenchmarkSession(b *testing.B) {
	for protocol, w := range benchWires() {
		for _, connections := range []int{4, 16} {
			b.Run(fmt.Sprintf("protocol=%s/connections=%d", protocol, connections), func(b *testing.B) {
				pipetest.Bench(b, func() pipeline.Wire { return w.wire }, w.answer, connections)
			})
		}
	}
}
