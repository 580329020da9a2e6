package redis

import (
	"testing"

	"dpukv/internal/test/subject"
	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/pipetest"
)

// TestSubjects is what "make bench-quick" compares: see package subject.
func TestSubjects(t *testing.T) {
	wire := func() pipeline.Wire { return &resp{} }
	subject.Test(t, pipetest.Subject("session/redis", wire, benchAnswer, 4))
}
