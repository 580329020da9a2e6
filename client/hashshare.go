package client

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"strings"

	"github.com/google/pprof/profile"
)

// hashShare is the share of hashing in the client's CPU time, with its source.
type hashShare struct {
	share   float64
	samples int // of the whole process's CPU time
	how     string
}

// The sources of Point.ClientHashShareBy.
const (
	bySampling = "sampling"
	byEstimate = "estimate: operations times the calibrated time of one hash"
)

// minHashSamples samples give a share of a tenth to within ±3 %.
const minHashSamples = 100

// hashProfile samples the process with Go's CPU profile, 100 times per second of CPU time. A sample
// costs a few microseconds.
type hashProfile struct {
	data    bytes.Buffer
	started bool
	err     error
}

// start fails if the process is being profiled already. The point then says so.
func (h *hashProfile) start() {
	h.err = pprof.StartCPUProfile(&h.data)
	h.started = h.err == nil
}

func (h *hashProfile) stop() {
	if h.started {
		pprof.StopCPUProfile()
		h.started = false
	}
}

// share returns the measured share. Without one it returns the estimate, and says so and why.
func (h *hashProfile) share(estimate float64) hashShare {
	samples, hashing, err := h.count()
	switch {
	case err != nil:
		return hashShare{estimate, 0, fmt.Sprintf("%s (no samples: %v)", byEstimate, err)}
	case samples < minHashSamples:
		return hashShare{
			estimate, samples,
			fmt.Sprintf("%s (found %d samples, allowed: %d or more; run longer)", byEstimate,
				samples, minHashSamples),
		}
	}
	return hashShare{float64(hashing) / float64(samples), samples, bySampling}
}

func (h *hashProfile) count() (samples, hashing int, err error) {
	if h.err != nil {
		return 0, 0, h.err
	}
	if h.data.Len() == 0 {
		return 0, 0, fmt.Errorf("the run ended before the first sample")
	}
	p, err := profile.Parse(&h.data)
	if err != nil {
		return 0, 0, err
	}
	for _, s := range p.Sample {
		n := int(s.Value[0])
		samples += n
		if isHashing(s) {
			hashing += n
		}
	}
	return samples, hashing, nil
}

// hashCaller is the only function that hashes keys under load.
const hashCaller = "/client.(*thread).hash"

// isHashing reports whether a sample lies in a callee of hashCaller, which calls only a hash
// function.
func isHashing(s *profile.Sample) bool {
	called := false
	for _, location := range s.Location { // from the innermost call outwards
		for _, line := range location.Line {
			if strings.HasSuffix(line.Function.Name, hashCaller) {
				return called
			}
			called = true
		}
	}
	return false
}
