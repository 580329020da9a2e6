//go:build !purego

package stream

import "golang.org/x/sys/cpu"

//go:noescape
func copyAVX2(dst, src *float64, n int)

//go:noescape
func scaleAVX2(dst, src *float64, k float64, n int)

//go:noescape
func addAVX2(dst, x, y *float64, n int)

//go:noescape
func triadAVX2(dst, x, y *float64, k float64, n int)

//go:noescape
func copyAVX512(dst, src *float64, n int)

//go:noescape
func scaleAVX512(dst, src *float64, k float64, n int)

//go:noescape
func addAVX512(dst, x, y *float64, n int)

//go:noescape
func triadAVX512(dst, x, y *float64, k float64, n int)

//go:noescape
func copyStudy(dst, src *float64, n int)

//go:noescape
func scaleStudy(dst, src *float64, k float64, n int)

//go:noescape
func addStudy(dst, x, y *float64, n int)

//go:noescape
func triadStudy(dst, x, y *float64, k float64, n int)

var (
	avx2Loops   = loops{"avx2", copyAVX2, scaleAVX2, addAVX2, triadAVX2}
	avx512Loops = loops{"avx512", copyAVX512, scaleAVX512, addAVX512, triadAVX512}
	studyLoops  = loops{"sse2, one element", copyStudy, scaleStudy, addStudy, triadStudy}
)

func vectorLoops() *loops {
	switch {
	case cpu.X86.HasAVX512F:
		return &avx512Loops
	case cpu.X86.HasAVX2:
		return &avx2Loops
	}
	return &goLoops
}

// own are the loops of this architecture that the processor can run.
func own() []*loops {
	list := []*loops{&studyLoops}
	if cpu.X86.HasAVX2 {
		list = append(list, &avx2Loops)
	}
	if cpu.X86.HasAVX512F {
		list = append(list, &avx512Loops)
	}
	return list
}
