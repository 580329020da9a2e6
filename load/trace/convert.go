package trace

import (
	"context"
	"errors"
	"fmt"
)

// Convert makes a new file in the compact form of a CSV file. Meanwhile it calls tell with the
// share that is done.
func Convert(ctx context.Context, from, to string, tell func(float64)) (s *Summary, err error) {
	c, err := OpenCSV(ctx, from, tell)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	w, err := Create(to)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	var r Record
	for c.Next(&r) {
		if err := w.Write(&r); err != nil {
			return nil, err
		}
	}
	if c.Err() != nil {
		return nil, c.Err()
	}
	summary := c.Summary()
	if w.header.summary.Operations == 0 {
		return nil, fmt.Errorf("%s: %w%s", from, ErrEmpty, firstMalformed(summary))
	}
	return w.Finish(*summary)
}

// firstMalformed says why lines are no operations; "": none is malformed.
func firstMalformed(s *Summary) string {
	if s.Malformed == 0 {
		return ""
	}
	m := &s.MalformedExamples[0]
	return fmt.Sprintf("; malformed lines: %d, the first of them line %d: %s: %q", s.Malformed,
		m.Line, m.Reason, m.Text)
}
