//go:build purego || (!amd64 && !arm64)

package stream

// The loops of [Study] without assembly. The index lies in memory, and each use loads it: a store
// to an array may change it, as far as the compiler knows.

//go:noinline
func copyStudy(dst, x, _ *float64, _ float64, n int) {
	d, s, i := slice(dst, n), slice(x, n), new(int)
	studyIndex = i
	for *i = 0; *i < n; *i++ {
		d[*i] = s[*i]
	}
}

//go:noinline
func scaleStudy(dst, x, _ *float64, k float64, n int) {
	d, s, i := slice(dst, n), slice(x, n), new(int)
	studyIndex = i
	for *i = 0; *i < n; *i++ {
		d[*i] = k * s[*i]
	}
}

//go:noinline
func addStudy(dst, x, y *float64, _ float64, n int) {
	d, a, b, i := slice(dst, n), slice(x, n), slice(y, n), new(int)
	studyIndex = i
	for *i = 0; *i < n; *i++ {
		d[*i] = a[*i] + b[*i]
	}
}

//go:noinline
func triadStudy(dst, x, y *float64, k float64, n int) {
	d, a, b, i := slice(dst, n), slice(x, n), slice(y, n), new(int)
	studyIndex = i
	for *i = 0; *i < n; *i++ {
		d[*i] = a[*i] + float64(k*b[*i])
	}
}

// studyIndex keeps the compiler from a register.
var studyIndex *int

var studyLoops = loops{
	"go, an approximation", copyStudy, scaleStudy, addStudy, triadStudy,
	"a build without assembly only resembles the code of a compiler that does not optimise",
}

func vectorLoops() *loops { return &goLoops }

func nonTemporalLoops() *loops { return nil }

func own() []*loops { return []*loops{&studyLoops} }
