//go:build !purego

#include "textflag.h"

// The kernels as gcc -O0 makes them for STREAM's static arrays: the index and the factor live in
// memory, the index is loaded for each use, and an iteration takes one element.

// func copyStudy(dst, x, y *float64, k float64, n int)
TEXT ·copyStudy(SB), NOSPLIT, $16-40
	MOVD dst+0(FP), R1
	MOVD x+8(FP), R2
	MOVD n+32(FP), R4
	MOVD ZR, index-8(SP)
	B test

next:
	MOVD index-8(SP), R0
	FMOVD (R2)(R0<<3), F0
	MOVD index-8(SP), R0
	FMOVD F0, (R1)(R0<<3)
	MOVD index-8(SP), R0
	ADD $1, R0, R0
	MOVD R0, index-8(SP)

test:
	MOVD index-8(SP), R0
	CMP R4, R0
	BLT next
	RET

// func scaleStudy(dst, x, y *float64, k float64, n int)
TEXT ·scaleStudy(SB), NOSPLIT, $16-40
	MOVD dst+0(FP), R1
	MOVD x+8(FP), R2
	MOVD n+32(FP), R4
	MOVD ZR, index-8(SP)
	B test

next:
	MOVD index-8(SP), R0
	FMOVD (R2)(R0<<3), F1
	FMOVD k+24(FP), F0
	FMULD F1, F0, F0
	MOVD index-8(SP), R0
	FMOVD F0, (R1)(R0<<3)
	MOVD index-8(SP), R0
	ADD $1, R0, R0
	MOVD R0, index-8(SP)

test:
	MOVD index-8(SP), R0
	CMP R4, R0
	BLT next
	RET

// func addStudy(dst, x, y *float64, k float64, n int)
TEXT ·addStudy(SB), NOSPLIT, $16-40
	MOVD dst+0(FP), R1
	MOVD x+8(FP), R2
	MOVD y+16(FP), R3
	MOVD n+32(FP), R4
	MOVD ZR, index-8(SP)
	B test

next:
	MOVD index-8(SP), R0
	FMOVD (R2)(R0<<3), F1
	MOVD index-8(SP), R0
	FMOVD (R3)(R0<<3), F0
	FADDD F1, F0, F0
	MOVD index-8(SP), R0
	FMOVD F0, (R1)(R0<<3)
	MOVD index-8(SP), R0
	ADD $1, R0, R0
	MOVD R0, index-8(SP)

test:
	MOVD index-8(SP), R0
	CMP R4, R0
	BLT next
	RET

// func triadStudy(dst, x, y *float64, k float64, n int)
TEXT ·triadStudy(SB), NOSPLIT, $16-40
	MOVD dst+0(FP), R1
	MOVD x+8(FP), R2
	MOVD y+16(FP), R3
	MOVD n+32(FP), R4
	MOVD ZR, index-8(SP)
	B test

next:
	MOVD index-8(SP), R0
	FMOVD (R2)(R0<<3), F1
	MOVD index-8(SP), R0
	FMOVD (R3)(R0<<3), F2
	FMOVD k+24(FP), F0
	FMULD F2, F0, F0
	FADDD F1, F0, F0
	MOVD index-8(SP), R0
	FMOVD F0, (R1)(R0<<3)
	MOVD index-8(SP), R0
	ADD $1, R0, R0
	MOVD R0, index-8(SP)

test:
	MOVD index-8(SP), R0
	CMP R4, R0
	BLT next
	RET
