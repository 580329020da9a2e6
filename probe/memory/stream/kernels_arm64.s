//go:build !purego

#include "textflag.h"

// The vector kernels: four vectors of two elements in a loop, then single elements. The assembler
// has no names for FADD and FMUL of vectors; their words follow the Arm ARM (C7.2, FADD (vector)
// and FMUL (vector), with size 64 bits).

// func copyNEON(dst, x, y *float64, k float64, n int)
TEXT ·copyNEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD n+32(FP), R3
	LSR $3, R3, R4
	CBZ R4, singles

four:
	VLD1.P 64(R1), [V0.D2, V1.D2, V2.D2, V3.D2]
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	SUB $1, R4
	CBNZ R4, four

singles:
	AND $7, R3, R3

single:
	CBZ R3, end
	FMOVD.P 8(R1), F0
	FMOVD.P F0, 8(R0)
	SUB $1, R3
	B single

end:
	RET

// func scaleNEON(dst, x, y *float64, k float64, n int)
TEXT ·scaleNEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	FMOVD k+24(FP), F16
	VDUP V16.D[0], V16.D2
	MOVD n+32(FP), R3
	LSR $3, R3, R4
	CBZ R4, singles

four:
	VLD1.P 64(R1), [V0.D2, V1.D2, V2.D2, V3.D2]
	WORD $0x6E70DC00 // FMUL V0.2D, V0.2D, V16.2D
	WORD $0x6E70DC21 // FMUL V1.2D, V1.2D, V16.2D
	WORD $0x6E70DC42 // FMUL V2.2D, V2.2D, V16.2D
	WORD $0x6E70DC63 // FMUL V3.2D, V3.2D, V16.2D
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	SUB $1, R4
	CBNZ R4, four

singles:
	AND $7, R3, R3

single:
	CBZ R3, end
	FMOVD.P 8(R1), F0
	FMULD F16, F0, F0
	FMOVD.P F0, 8(R0)
	SUB $1, R3
	B single

end:
	RET

// func addNEON(dst, x, y *float64, k float64, n int)
TEXT ·addNEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD y+16(FP), R2
	MOVD n+32(FP), R3
	LSR $3, R3, R4
	CBZ R4, singles

four:
	VLD1.P 64(R1), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1.P 64(R2), [V0.D2, V1.D2, V2.D2, V3.D2]
	WORD $0x4E64D400 // FADD V0.2D, V0.2D, V4.2D
	WORD $0x4E65D421 // FADD V1.2D, V1.2D, V5.2D
	WORD $0x4E66D442 // FADD V2.2D, V2.2D, V6.2D
	WORD $0x4E67D463 // FADD V3.2D, V3.2D, V7.2D
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	SUB $1, R4
	CBNZ R4, four

singles:
	AND $7, R3, R3

single:
	CBZ R3, end
	FMOVD.P 8(R1), F4
	FMOVD.P 8(R2), F0
	FADDD F4, F0, F0
	FMOVD.P F0, 8(R0)
	SUB $1, R3
	B single

end:
	RET

// func triadNEON(dst, x, y *float64, k float64, n int)
TEXT ·triadNEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD y+16(FP), R2
	FMOVD k+24(FP), F16
	VDUP V16.D[0], V16.D2
	MOVD n+32(FP), R3
	LSR $3, R3, R4
	CBZ R4, singles

four:
	VLD1.P 64(R1), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1.P 64(R2), [V0.D2, V1.D2, V2.D2, V3.D2]
	WORD $0x6E70DC00 // FMUL V0.2D, V0.2D, V16.2D
	WORD $0x6E70DC21 // FMUL V1.2D, V1.2D, V16.2D
	WORD $0x6E70DC42 // FMUL V2.2D, V2.2D, V16.2D
	WORD $0x6E70DC63 // FMUL V3.2D, V3.2D, V16.2D
	WORD $0x4E64D400 // FADD V0.2D, V0.2D, V4.2D
	WORD $0x4E65D421 // FADD V1.2D, V1.2D, V5.2D
	WORD $0x4E66D442 // FADD V2.2D, V2.2D, V6.2D
	WORD $0x4E67D463 // FADD V3.2D, V3.2D, V7.2D
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	SUB $1, R4
	CBNZ R4, four

singles:
	AND $7, R3, R3

single:
	CBZ R3, end
	FMOVD.P 8(R1), F4
	FMOVD.P 8(R2), F0
	FMULD F16, F0, F0
	FADDD F4, F0, F0
	FMOVD.P F0, 8(R0)
	SUB $1, R3
	B single

end:
	RET
