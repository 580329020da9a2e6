//go:build !purego

package stream

//go:noescape
func copyNEON(dst, src *float64, n int)

//go:noescape
func scaleNEON(dst, src *float64, k float64, n int)

//go:noescape
func addNEON(dst, x, y *float64, n int)

//go:noescape
func triadNEON(dst, x, y *float64, k float64, n int)

//go:noescape
func copyStudy(dst, src *float64, n int)

//go:noescape
func scaleStudy(dst, src *float64, k float64, n int)

//go:noescape
func addStudy(dst, x, y *float64, n int)

//go:noescape
func triadStudy(dst, x, y *float64, k float64, n int)

var (
	neonLoops  = loops{"neon", copyNEON, scaleNEON, addNEON, triadNEON}
	studyLoops = loops{"one element", copyStudy, scaleStudy, addStudy, triadStudy}
)

func vectorLoops() *loops { return &neonLoops }

// own are the loops of this architecture.
func own() []*loops { return []*loops{&studyLoops, &neonLoops} }
