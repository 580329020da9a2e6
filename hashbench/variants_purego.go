//go:build purego

package hashbench

const asmUnlessPure = PureGo
