//go:build !purego

package stream

//go:noescape
func copyNEON(dst, x, y *float64, k float64, n int)

//go:noescape
func scaleNEON(dst, x, y *float64, k float64, n int)

//go:noescape
func addNEON(dst, x, y *float64, k float64, n int)

//go:noescape
func triadNEON(dst, x, y *float64, k float64, n int)

//go:noescape
func copyNEONNT(dst, x, y *float64, k float64, n int)

//go:noescape
func scaleNEONNT(dst, x, y *float64, k float64, n int)

//go:noescape
func addNEONNT(dst, x, y *float64, k float64, n int)

//go:noescape
func triadNEONNT(dst, x, y *float64, k float64, n int)

//go:noescape
func copyStudy(dst, x, y *float64, k float64, n int)

//go:noescape
func scaleStudy(dst, x, y *float64, k float64, n int)

//go:noescape
func addStudy(dst, x, y *float64, k float64, n int)

//go:noescape
func triadStudy(dst, x, y *float64, k float64, n int)

var (
	neonLoops   = loops{"neon", copyNEON, scaleNEON, addNEON, triadNEON, ""}
	neonNTLoops = loops{"neon, stnp", copyNEONNT, scaleNEONNT, addNEONNT, triadNEONNT, ""}
	studyLoops  = loops{"one element", copyStudy, scaleStudy, addStudy, triadStudy, ""}
)

func vectorLoops() *loops { return &neonLoops }

func nonTemporalLoops() *loops { return &neonNTLoops }

// own are the loops of this architecture.
func own() []*loops { return []*loops{&studyLoops, &neonLoops, &neonNTLoops} }
