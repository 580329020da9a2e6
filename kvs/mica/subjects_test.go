package mica

import (
	"testing"

	"dpukv/internal/test/subject"
)

// TestSubjects is what "make bench-quick" compares: see package subject.
func TestSubjects(t *testing.T) {
	subject.Test(t, subject.Subject{
		Name: "session/mica", Kind: subject.Core, Figures: []string{"client"},
		Start: func(tb testing.TB, _ bool) *subject.Running {
			return &subject.Running{Do: newInstant(tb).run}
		},
	})
}
