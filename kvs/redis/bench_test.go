package redis

import (
	"fmt"
	"testing"

	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/pipetest"
)

var benchAnswer = []byte("$8\r\n12345678\r\n")

func BenchmarkWire(b *testing.B) { pipetest.BenchWire(b, &resp{}, benchAnswer) }

func BenchmarkSession(b *testing.B) {
	for _, connections := range []int{4, 16} {
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) {
			pipetest.Bench(b, func() pipeline.Wire { return &resp{} }, benchAnswer, connections)
		})
	}
}
