package stream

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
	// Study is the code of a compiler that does not optimise. The study's Table 4 has it.
	Study Code = "study"
)

// Codes returns the codes' names.
func Codes() []string { return []string{string(Vector), string(Study)} }

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

// loops are the kernels in one code. All arrays have n elements.
type loops struct {
	name  string // the instruction set, for the facts
	copy  func(dst, src *float64, n int)
	scale func(dst, src *float64, k float64, n int)
	add   func(dst, x, y *float64, n int)
	triad func(dst, x, y *float64, k float64, n int)
}

// run does one pass over the arrays of STREAM: a, b and c.
func (l *loops) run(k Kernel, a, b, c []float64) {
	if len(a) == 0 {
		return
	}
	switch k {
	case Copy:
		l.copy(&c[0], &a[0], len(a))
	case Scale:
		l.scale(&b[0], &c[0], scalar, len(a))
	case Add:
		l.add(&c[0], &a[0], &b[0], len(a))
	case Triad:
		l.triad(&a[0], &b[0], &c[0], scalar, len(a))
	}
}

// loopsOf returns the kernels of a code on this processor.
func loopsOf(c Code) *loops {
	if c == Study {
		return &studyLoops
	}
	return vectorLoops()
}

// ISA names the instruction set of [Vector] on this processor: "avx512", "neon", "go".
func ISA() string { return vectorLoops().name }

// CopyTo copies as the kernel [Copy] does, with the widest vectors. Both have the same length.
func CopyTo(dst, src []float64) { vectorLoops().run(Copy, src, nil, dst) }
