//go:build !purego

#include "textflag.h"

// The kernels as gcc -O0 makes them for STREAM's static arrays: the index and the factor live in
// memory, the index is loaded for each use, and an iteration takes one element.

// func copyStudy(dst, x, y *float64, k float64, n int)
TEXT ·copyStudy(SB), NOSPLIT, $16-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+32(FP), CX
	MOVQ $0, index-8(SP)
	JMP  test

next:
	MOVQ index-8(SP), AX
	LEAQ (AX*8), DX
	MOVSD (SI)(DX*1), X0
	MOVQ index-8(SP), AX
	LEAQ (AX*8), DX
	MOVSD X0, (DI)(DX*1)
	ADDQ $1, index-8(SP)

test:
	CMPQ index-8(SP), CX
	JL   next
	RET

// func scaleStudy(dst, x, y *float64, k float64, n int)
TEXT ·scaleStudy(SB), NOSPLIT, $16-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+32(FP), CX
	MOVQ $0, index-8(SP)
	JMP  test

next:
	MOVQ index-8(SP), AX
	LEAQ (AX*8), DX
	MOVSD (SI)(DX*1), X1
	MOVSD k+24(FP), X0
	MULSD X1, X0
	MOVQ index-8(SP), AX
	LEAQ (AX*8), DX
	MOVSD X0, (DI)(DX*1)
	ADDQ $1, index-8(SP)

test:
	CMPQ index-8(SP), CX
	JL   next
	RET

// func addStudy(dst, x, y *float64, k float64, n int)
TEXT ·addStudy(SB), NOSPLIT, $16-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), R8
	MOVQ n+32(FP), CX
	MOVQ $0, index-8(SP)
	JMP  test

next:
	MOVQ index-8(SP), AX
	LEAQ (AX*8), DX
	MOVSD (SI)(DX*1), X1
	MOVQ index-8(SP), AX
	LEAQ (AX*8), DX
	MOVSD (R8)(DX*1), X0
	ADDSD X1, X0
	MOVQ index-8(SP), AX
	LEAQ (AX*8), DX
	MOVSD X0, (DI)(DX*1)
	ADDQ $1, index-8(SP)

test:
	CMPQ index-8(SP), CX
	JL   next
	RET

// func triadStudy(dst, x, y *float64, k float64, n int)
TEXT ·triadStudy(SB), NOSPLIT, $16-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), R8
	MOVQ n+32(FP), CX
	MOVQ $0, index-8(SP)
	JMP  test

next:
	MOVQ index-8(SP), AX
	LEAQ (AX*8), DX
	MOVSD (SI)(DX*1), X1
	MOVQ index-8(SP), AX
	LEAQ (AX*8), DX
	MOVSD (R8)(DX*1), X2
	MOVSD k+24(FP), X0
	MULSD X2, X0
	ADDSD X1, X0
	MOVQ index-8(SP), AX
	LEAQ (AX*8), DX
	MOVSD X0, (DI)(DX*1)
	ADDQ $1, index-8(SP)

test:
	CMPQ index-8(SP), CX
	JL   next
	RET
