package trace

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Summary is what is known of a trace as a whole.
type Summary struct {
	Source     Source `json:"source"`
	Operations uint64 `json:"operations"` // those that are in the trace
	Keys       uint64 `json:"keys"`       // different keys of theirs
	LastNs     int64  `json:"last_ns"`    // time of the last operation, since the first
	// MaxKeyBytes and MaxValueBytes are the largest sizes in the trace.
	MaxKeyBytes   int `json:"max_key_bytes"`
	MaxValueBytes int `json:"max_value_bytes"`
	// SpreadNs is the unit of the source's times, over which operations of one time were spread;
	// absent: they were not.
	SpreadNs int64 `json:"spread_ns,omitempty"`
	// Ops are the operations of the source, the most frequent first.
	Ops []OpCount `json:"ops"`
	// These are operations whose sizes or times are not those of the source.
	KeysLengthened uint64 `json:"keys_lengthened,omitempty"`  // keys: too short for their number
	KeySizeChanged uint64 `json:"key_size_changed,omitempty"` // not the size of the key before
	KeysCut        uint64 `json:"keys_cut,omitempty"`         // keys: larger than a store takes
	ValuesCut      uint64 `json:"values_cut,omitempty"`       // larger than a store takes
	TTLsCut        uint64 `json:"ttls_cut,omitempty"`         // longer than 30 days
	// Malformed are lines that are no operations, with the first of them.
	Malformed         uint64      `json:"malformed,omitempty"`
	MalformedExamples []Malformed `json:"malformed_examples,omitempty"`
	// CutOff tells that the source's last line has no end. It was left out.
	CutOff bool `json:"cut_off,omitempty"`
}

// Source is the file that a trace was made from.
type Source struct {
	Name   string `json:"name"` // without its folder
	Format string `json:"format"`
	Bytes  int64  `json:"bytes,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// OpCount is a kind of operations of a source.
type OpCount struct {
	Name  string `json:"name"`         // the source's word for it
	As    string `json:"as,omitempty"` // the operation that it became; "": it was left out
	Count uint64 `json:"count"`
}

// Malformed is a line that is no operation.
type Malformed struct {
	Line   uint64 `json:"line"`
	Reason string `json:"reason"`
	Text   string `json:"text"` // the beginning of the line
}

// Refused is the number of operations that have no equal here.
func (s *Summary) Refused() uint64 { return s.Count("") }

// Count returns the number of the trace's operations that became this one, such as "GET".
func (s *Summary) Count(as string) (n uint64) {
	for _, op := range s.Ops {
		if op.As == as {
			n += op.Count
		}
	}
	return n
}

func (s *Summary) sortOps() {
	slices.SortFunc(s.Ops, func(a, b OpCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
}

// encode returns the summary's JSON in at most so many bytes. What is too long for them goes:
// examples first.
func (s Summary) encode(most int) ([]byte, error) {
	for {
		text, err := json.Marshal(&s)
		if err != nil || len(text) <= most {
			return text, err
		}
		if n := len(s.MalformedExamples); n > 0 {
			s.MalformedExamples = s.MalformedExamples[:n-1]
		} else {
			s.Ops = joinLast(s.Ops)
		}
	}
}

// otherOps stands for the rarest operations.
const otherOps = "(others)"

// joinLast makes one of the last two counts, which became the same.
func joinLast(ops []OpCount) []OpCount {
	for i := len(ops) - 1; i > 0; i-- {
		for j := i - 1; j >= 0; j-- {
			if ops[i].As == ops[j].As {
				joined := OpCount{otherOps, ops[i].As, ops[i].Count + ops[j].Count}
				ops = slices.Delete(slices.Clone(ops), i, i+1)
				ops[j] = joined
				return ops
			}
		}
	}
	return ops[:0] // never: names have a limit, and there are five kinds
}
