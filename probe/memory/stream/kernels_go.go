package stream

import "unsafe"

// The kernels in Go: those of a build without assembly, and the yardstick of the others.

func slice(p *float64, n int) []float64 { return unsafe.Slice(p, n) }

// copyGo is a loop: the built-in copy of large memory bypasses the caches.
func copyGo(dst, x, _ *float64, _ float64, n int) {
	d, s := slice(dst, n), slice(x, n)
	for i := range d {
		d[i] = s[i]
	}
}

func scaleGo(dst, x, _ *float64, k float64, n int) {
	d, s := slice(dst, n), slice(x, n)
	for i := range d {
		d[i] = k * s[i]
	}
}

func addGo(dst, x, y *float64, _ float64, n int) {
	d, a, b := slice(dst, n), slice(x, n), slice(y, n)
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func triadGo(dst, x, y *float64, k float64, n int) {
	d, a, b := slice(dst, n), slice(x, n), slice(y, n)
	for i := range d {
		d[i] = a[i] + float64(k*b[i]) // the conversion keeps the compiler from one rounding
	}
}

var goLoops = loops{
	"go", copyGo, scaleGo, addGo, triadGo,
	"a build without assembly measures loops of single elements, which may not reach the " +
		"memory's bandwidth",
}
