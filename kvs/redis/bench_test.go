package redis

import (
	"fmt"
	"testing"

	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/pipetest"
)

func BenchmarkSession(b *testing.B) {
	for _, connections := range []int{4, 16} {
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) {
			pipetest.Bench(b, func() pipeline.Wire { return &resp{} }, []byte("$8\r\n12345678\r\n"), connections)
		})
	}
}
