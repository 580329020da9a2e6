package result

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"dpukv/internal/infile"
)

// The limits of a report's file. A report of all functions takes a tenth of them.
const (
	maxFileBytes = 32 << 20
	maxObjects   = 100_000
)

// Read reads a report from a file of JSON, or from a pipe until ctx is done.
func Read(ctx context.Context, path string) (*Report, error) {
	data, err := infile.ReadInput(ctx, path, maxFileBytes)
	if err != nil {
		return nil, err
	}
	r, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Parse reads a report's JSON and refuses other data.
func Parse(data []byte) (*Report, error) {
	if n := bytes.Count(data, []byte("{")); n > maxObjects { // each would become a result
		return nil, fmt.Errorf("found %d objects, allowed: at most %d", n, maxObjects)
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("found no JSON of a report: %w; write one with dpukv hash "+
			"--json", err)
	}
	switch {
	case r.Kind != Kind:
		return nil, fmt.Errorf("kind: found %q, allowed: %q; write the report with dpukv hash "+
			"--json", r.Kind, Kind)
	case r.Schema != Schema && r.Schema != schemaSubtracted:
		return nil, fmt.Errorf("schema: found %d, allowed: %d to %d; measure again with one "+
			"version of dpukv", r.Schema, schemaSubtracted, Schema)
	case r.Provenance != Measured:
		return nil, fmt.Errorf("provenance: found %q, allowed: measured figures only", r.Provenance)
	case len(r.Results) == 0:
		return nil, errors.New("results: found none, allowed: one or more")
	}
	if r.Schema == schemaSubtracted {
		r.addLoops()
	}
	return &r, r.validate()
}

// schemaSubtracted is the version of reports without the loop in their throughput.
const schemaSubtracted = 1

// addLoops makes the throughput of an older report comparable: it contains the same loop again.
func (r *Report) addLoops() {
	for i := range r.Results {
		if x := &r.Results[i]; x.Mode == Throughput {
			x.Ns, x.OverheadNs = x.RawNs, 0
		}
	}
	r.Schema = Schema
}

func (r *Report) validate() error {
	for _, x := range r.Results {
		if err := x.Case.Validate(); err != nil {
			return fmt.Errorf("%s: %w", x.Function, err)
		}
		if !(x.Ns.Low <= x.Ns.Median && x.Ns.Median <= x.Ns.High) {
			return fmt.Errorf("%s, %s: found the median %v, allowed: within its interval of %v "+
				"to %v",
				x.Function, x.Case, x.Ns.Median, x.Ns.Low, x.Ns.High)
		}
	}
	return nil
}
