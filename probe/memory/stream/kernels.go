package stream

import "fmt"

// Kernel is one of STREAM's four.
type Kernel string

// The kernels, in STREAM's order: dst = src, dst = k·src, dst = x+y, dst = x+k·y.
const (
	Copy  Kernel = "copy"
	Scale Kernel = "scale"
	Add   Kernel = "add"
	Triad Kernel = "triad"
)

// Kernels returns the kernels' names, in STREAM's order.
func Kernels() []string {
	return []string{string(Copy), string(Scale), string(Add), string(Triad)}
}

// Code is how the kernels are made.
type Code string

// The codes.
const (
	// Vector uses the widest vectors of the processor, as an optimising compiler does.
	Vector Code = "vector"
	// NonTemporal is Vector with stores that bypass the caches. No compiler makes it by default.
	NonTemporal Code = "nontemporal"
	// Study is the code of a compiler that does not optimise. The study's Table 4 has it.
	Study Code = "study"
)

// Codes returns the codes' names.
func Codes() []string { return []string{string(Vector), string(NonTemporal), string(Study)} }

// scalar is STREAM's factor.
const scalar = 3.0

// elementBytes is the traffic of a kernel for one element, as STREAM counts it: what the code reads
// and writes, without the lines that a store reads first.
func (k Kernel) elementBytes() int {
	if k == Copy || k == Scale {
		return 2 * 8
	}
	return 3 * 8
}

// loop is one kernel over n elements. Copy and scale read x alone.
type loop func(dst, x, y *float64, k float64, n int)

// loops are the kernels in one code.
type loops struct {
	name                    string // the instruction set, for the facts
	copy, scale, add, triad loop
	warning                 string // what the code is not; "": nothing
}

// run does one pass over the arrays of STREAM: a, b and c.
func (l *loops) run(k Kernel, a, b, c []float64) {
	if len(a) == 0 {
		return
	}
	switch k {
	case Copy:
		l.copy(&c[0], &a[0], nil, scalar, len(a))
	case Scale:
		l.scale(&b[0], &c[0], nil, scalar, len(a))
	case Add:
		l.add(&c[0], &a[0], &b[0], scalar, len(a))
	case Triad:
		l.triad(&a[0], &b[0], &c[0], scalar, len(a))
	}
}

// loopsOf returns the kernels of a code on this processor.
func loopsOf(c Code) (*loops, error) {
	switch c {
	case Study:
		return &studyLoops, nil
	case Vector:
		return vectorLoops(), nil
	case NonTemporal:
		if l := nonTemporalLoops(); l != nil {
			return l, nil
		}
		return nil, fmt.Errorf("code: found %s in a build without assembly, allowed: %s, %s", c,
			Vector, Study)
	}
	return nil, fmt.Errorf("code: found %q, allowed: %q", c, Codes())
}

// Check refuses a code that this build does not have. The empty code is none, and is not refused.
func Check(c Code) error {
	if c == "" {
		return nil
	}
	_, err := loopsOf(c)
	return err
}

// ISA names the instruction set of [Vector] on this processor: "avx512", "neon", "go".
func ISA() string { return vectorLoops().name }

// CopyTo copies as the kernel [Copy] does, with the widest vectors. Both have the same length.
func CopyTo(dst, src []float64) { vectorLoops().run(Copy, src, nil, dst) }
