//go:build !purego

package stream

import "golang.org/x/sys/cpu"

//go:noescape
func copyAVX512(dst, x, y *float64, k float64, n int)

//go:noescape
func scaleAVX512(dst, x, y *float64, k float64, n int)

//go:noescape
func addAVX512(dst, x, y *float64, k float64, n int)

//go:noescape
func triadAVX512(dst, x, y *float64, k float64, n int)

//go:noescape
func copyAVX2(dst, x, y *float64, k float64, n int)

//go:noescape
func scaleAVX2(dst, x, y *float64, k float64, n int)

//go:noescape
func addAVX2(dst, x, y *float64, k float64, n int)

//go:noescape
func triadAVX2(dst, x, y *float64, k float64, n int)

//go:noescape
func copySSE2(dst, x, y *float64, k float64, n int)

//go:noescape
func scaleSSE2(dst, x, y *float64, k float64, n int)

//go:noescape
func addSSE2(dst, x, y *float64, k float64, n int)

//go:noescape
func triadSSE2(dst, x, y *float64, k float64, n int)

//go:noescape
func copyAVX512NT(dst, x, y *float64, k float64, n int)

//go:noescape
func scaleAVX512NT(dst, x, y *float64, k float64, n int)

//go:noescape
func addAVX512NT(dst, x, y *float64, k float64, n int)

//go:noescape
func triadAVX512NT(dst, x, y *float64, k float64, n int)

//go:noescape
func copyAVX2NT(dst, x, y *float64, k float64, n int)

//go:noescape
func scaleAVX2NT(dst, x, y *float64, k float64, n int)

//go:noescape
func addAVX2NT(dst, x, y *float64, k float64, n int)

//go:noescape
func triadAVX2NT(dst, x, y *float64, k float64, n int)

//go:noescape
func copySSE2NT(dst, x, y *float64, k float64, n int)

//go:noescape
func scaleSSE2NT(dst, x, y *float64, k float64, n int)

//go:noescape
func addSSE2NT(dst, x, y *float64, k float64, n int)

//go:noescape
func triadSSE2NT(dst, x, y *float64, k float64, n int)

//go:noescape
func copyStudy(dst, x, y *float64, k float64, n int)

//go:noescape
func scaleStudy(dst, x, y *float64, k float64, n int)

//go:noescape
func addStudy(dst, x, y *float64, k float64, n int)

//go:noescape
func triadStudy(dst, x, y *float64, k float64, n int)

// The loops by width, the widest first. Every processor has the last ones.
var (
	plain = []loops{
		{"avx512", copyAVX512, scaleAVX512, addAVX512, triadAVX512, ""},
		{"avx2", copyAVX2, scaleAVX2, addAVX2, triadAVX2, ""},
		{"sse2", copySSE2, scaleSSE2, addSSE2, triadSSE2, ""},
	}
	nonTemporal = []loops{
		{"avx512, movnt", copyAVX512NT, scaleAVX512NT, addAVX512NT, triadAVX512NT, ""},
		{"avx2, movnt", copyAVX2NT, scaleAVX2NT, addAVX2NT, triadAVX2NT, ""},
		{"sse2, movnt", copySSE2NT, scaleSSE2NT, addSSE2NT, triadSSE2NT, ""},
	}
	studyLoops = loops{"sse2, one element", copyStudy, scaleStudy, addStudy, triadStudy, ""}
)

// widest is the index of the widest loops that this processor can run.
func widest() int {
	switch {
	case cpu.X86.HasAVX512F:
		return 0
	case cpu.X86.HasAVX2:
		return 1
	}
	return 2
}

func vectorLoops() *loops { return &plain[widest()] }

func nonTemporalLoops() *loops { return &nonTemporal[widest()] }

// own are the loops of this architecture that the processor can run.
func own() []*loops {
	list := []*loops{&studyLoops}
	for i := widest(); i < len(plain); i++ {
		list = append(list, &plain[i], &nonTemporal[i])
	}
	return list
}
