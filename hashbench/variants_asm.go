//go:build !purego

package hashbench

const asmUnlessPure = Asm
