package memcached

import (
	"testing"

	"dpukv/internal/test/subject"
	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/pipetest"
)

// TestSubjects is what "make bench-quick" compares: see package subject.
func TestSubjects(t *testing.T) {
	var subjects []subject.Subject
	for protocol, w := range benchWires() {
		wire := func() pipeline.Wire { return w.wire }
		subjects = append(subjects, pipetest.Subject("session/memcached-"+protocol, wire, w.answer, 4))
	}
	subject.Test(t, subjects...)
}
