package memcached

import (
	"fmt"
	"testing"

	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/pipetest"
)

func BenchmarkSession(b *testing.B) {
	answer := appendPacket(nil, opGet, 4, 0, 8)
	answer[0] = magicResponse
	answer = append(answer, "\x00\x00\x00\x0012345678"...)
	for _, connections := range []int{4, 16} {
		b.Run(fmt.Sprintf("protocol=meta/connections=%d", connections), func(b *testing.B) {
			pipetest.Bench(b, func() pipeline.Wire { return meta{} }, []byte("VA 8\r\n12345678\r\n"), connections)
		})
		b.Run(fmt.Sprintf("protocol=binary/connections=%d", connections), func(b *testing.B) {
			pipetest.Bench(b, func() pipeline.Wire { return classic{} }, answer, connections)
		})
	}
}
