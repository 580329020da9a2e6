package softroce

import (
	"testing"

	"dpukv/internal/test/subject"
)

// TestSubjects is what "make bench-quick" compares: see package subject.
func TestSubjects(t *testing.T) {
	subject.Test(t, ofExchange("softroce/requests", writes), ofExchange("softroce/answers", datagrams))
}

// ofExchange is batches from one thread to another.
func ofExchange(
	name string, open func(testing.TB) (exchange, func() (tx, rx uint64)),
) subject.Subject {
	return subject.Subject{
		Name: name, Kind: subject.Core, Figures: []string{"send", "receive"}, Batch: benchBatch,
		Start: func(tb testing.TB, _ bool) *subject.Running {
			x, _ := open(tb)
			t := startThreads(tb, x)
			return &subject.Running{
				Do:   func(n int) error { return t.run(n / benchBatch) },
				Read: func() ([]int64, error) { return []int64{t.sender.cpuNs, t.receiver.cpuNs}, nil },
			}
		},
	}
}
