//go:build purego || (!amd64 && !arm64)

package stream

// studyLoops are an approximation: the compiler keeps the index in a register.
var studyLoops = loops{"go, an approximation", copyGo, scaleGo, addGo, triadGo}

func vectorLoops() *loops { return &goLoops }

func own() []*loops { return nil }
