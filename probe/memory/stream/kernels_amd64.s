//go:build !purego

#include "textflag.h"

// The vector kernels: four vectors in a loop, and single elements for the rest. Loads and stores are
// unaligned and go through the caches, as compilers make them for STREAM. The kernels whose name
// ends in NT store past the caches: to aligned addresses, with a fence at the end.
//
// DI is dst, SI is x, DX is y, CX is n, AX is the index, BX is the index after the last whole vectors.
// Register 15 has k in each element.

#define ARGUMENTS \
	MOVQ dst+0(FP), DI; \
	MOVQ x+8(FP), SI; \
	MOVQ y+16(FP), DX; \
	MOVQ n+32(FP), CX; \
	XORQ AX, AX

// LOOP takes elements by vectors with four, and the others with one.
#define LOOP(elements, four, one) \
	MOVQ CX, BX; \
	SUBQ AX, BX; \
	ANDQ $-elements, BX; \
	ADDQ AX, BX; \
	JMP  test; \
next: \
	four; \
	ADDQ $elements, AX; \
test: \
	CMPQ AX, BX; \
	JLT  next; \
single: \
	CMPQ AX, CX; \
	JGE  end; \
	one; \
	INCQ AX; \
	JMP  single; \
end:

// ALIGN takes single elements until the next store is aligned.
#define ALIGN(bytes, one) \
align: \
	CMPQ AX, CX; \
	JGE  aligned; \
	LEAQ (DI)(AX*8), R8; \
	TESTQ $(bytes-1), R8; \
	JZ   aligned; \
	one; \
	INCQ AX; \
	JMP  align; \
aligned:

// One element.

#define COPY1 VMOVSD (SI)(AX*8), X0; VMOVSD X0, (DI)(AX*8)
#define SCALE1 VMULSD (SI)(AX*8), X15, X0; VMOVSD X0, (DI)(AX*8)
#define ADD1 VMOVSD (SI)(AX*8), X0; VADDSD (DX)(AX*8), X0, X0; VMOVSD X0, (DI)(AX*8)
#define TRIAD1 VMULSD (DX)(AX*8), X15, X0; VADDSD (SI)(AX*8), X0, X0; VMOVSD X0, (DI)(AX*8)
#define COPY1SSE2 MOVSD (SI)(AX*8), X0; MOVSD X0, (DI)(AX*8)
#define SCALE1SSE2 MOVSD (SI)(AX*8), X0; MULSD X15, X0; MOVSD X0, (DI)(AX*8)
#define ADD1SSE2 MOVSD (SI)(AX*8), X0; ADDSD (DX)(AX*8), X0; MOVSD X0, (DI)(AX*8)
#define TRIAD1SSE2 MOVSD (DX)(AX*8), X0; MULSD X15, X0; ADDSD (SI)(AX*8), X0; MOVSD X0, (DI)(AX*8)

// One vector at an offset, by way of the register v.

#define COPYV(store, at, v, k) VMOVUPD at(SI)(AX*8), v; store v, at(DI)(AX*8)
#define SCALEV(store, at, v, k) VMULPD at(SI)(AX*8), k, v; store v, at(DI)(AX*8)
#define ADDV(store, at, v, k) VMOVUPD at(SI)(AX*8), v; VADDPD at(DX)(AX*8), v, v; store v, at(DI)(AX*8)
#define TRIADV(store, at, v, k) VMULPD at(DX)(AX*8), k, v; VADDPD at(SI)(AX*8), v, v; store v, at(DI)(AX*8)
#define COPYVSSE2(store, at, v, k) MOVUPD at(SI)(AX*8), v; store v, at(DI)(AX*8)
#define SCALEVSSE2(store, at, v, k) MOVUPD at(SI)(AX*8), v; MULPD k, v; store v, at(DI)(AX*8)
#define ADDVSSE2(store, at, v, k) MOVUPD at(SI)(AX*8), v; MOVUPD at(DX)(AX*8), X8; ADDPD X8, v; store v, at(DI)(AX*8)
#define TRIADVSSE2(store, at, v, k) MOVUPD at(DX)(AX*8), v; MULPD k, v; MOVUPD at(SI)(AX*8), X8; ADDPD X8, v; store v, at(DI)(AX*8)

// Four vectors.
#define FOUR512(vector, store) \
	vector(store, 0, Z0, Z15); vector(store, 64, Z1, Z15); vector(store, 128, Z2, Z15); vector(store, 192, Z3, Z15)
#define FOUR256(vector, store) \
	vector(store, 0, Y0, Y15); vector(store, 32, Y1, Y15); vector(store, 64, Y2, Y15); vector(store, 96, Y3, Y15)
#define FOUR128(vector, store) \
	vector(store, 0, X0, X15); vector(store, 16, X1, X15); vector(store, 32, X2, X15); vector(store, 48, X3, X15)

// func copyAVX512(dst, x, y *float64, k float64, n int)
TEXT ·copyAVX512(SB), NOSPLIT, $0-40
	ARGUMENTS
	LOOP(32, FOUR512(COPYV, VMOVUPD), COPY1)
	VZEROUPPER
	RET

// func scaleAVX512(dst, x, y *float64, k float64, n int)
TEXT ·scaleAVX512(SB), NOSPLIT, $0-40
	ARGUMENTS
	VBROADCASTSD k+24(FP), Z15
	LOOP(32, FOUR512(SCALEV, VMOVUPD), SCALE1)
	VZEROUPPER
	RET

// func addAVX512(dst, x, y *float64, k float64, n int)
TEXT ·addAVX512(SB), NOSPLIT, $0-40
	ARGUMENTS
	LOOP(32, FOUR512(ADDV, VMOVUPD), ADD1)
	VZEROUPPER
	RET

// func triadAVX512(dst, x, y *float64, k float64, n int)
TEXT ·triadAVX512(SB), NOSPLIT, $0-40
	ARGUMENTS
	VBROADCASTSD k+24(FP), Z15
	LOOP(32, FOUR512(TRIADV, VMOVUPD), TRIAD1)
	VZEROUPPER
	RET

// func copyAVX2(dst, x, y *float64, k float64, n int)
TEXT ·copyAVX2(SB), NOSPLIT, $0-40
	ARGUMENTS
	LOOP(16, FOUR256(COPYV, VMOVUPD), COPY1)
	VZEROUPPER
	RET

// func scaleAVX2(dst, x, y *float64, k float64, n int)
TEXT ·scaleAVX2(SB), NOSPLIT, $0-40
	ARGUMENTS
	VBROADCASTSD k+24(FP), Y15
	LOOP(16, FOUR256(SCALEV, VMOVUPD), SCALE1)
	VZEROUPPER
	RET

// func addAVX2(dst, x, y *float64, k float64, n int)
TEXT ·addAVX2(SB), NOSPLIT, $0-40
	ARGUMENTS
	LOOP(16, FOUR256(ADDV, VMOVUPD), ADD1)
	VZEROUPPER
	RET

// func triadAVX2(dst, x, y *float64, k float64, n int)
TEXT ·triadAVX2(SB), NOSPLIT, $0-40
	ARGUMENTS
	VBROADCASTSD k+24(FP), Y15
	LOOP(16, FOUR256(TRIADV, VMOVUPD), TRIAD1)
	VZEROUPPER
	RET

// func copySSE2(dst, x, y *float64, k float64, n int)
TEXT ·copySSE2(SB), NOSPLIT, $0-40
	ARGUMENTS
	LOOP(8, FOUR128(COPYVSSE2, MOVUPD), COPY1SSE2)
	RET

// func scaleSSE2(dst, x, y *float64, k float64, n int)
TEXT ·scaleSSE2(SB), NOSPLIT, $0-40
	ARGUMENTS
	MOVSD k+24(FP), X15
	UNPCKLPD X15, X15
	LOOP(8, FOUR128(SCALEVSSE2, MOVUPD), SCALE1SSE2)
	RET

// func addSSE2(dst, x, y *float64, k float64, n int)
TEXT ·addSSE2(SB), NOSPLIT, $0-40
	ARGUMENTS
	LOOP(8, FOUR128(ADDVSSE2, MOVUPD), ADD1SSE2)
	RET

// func triadSSE2(dst, x, y *float64, k float64, n int)
TEXT ·triadSSE2(SB), NOSPLIT, $0-40
	ARGUMENTS
	MOVSD k+24(FP), X15
	UNPCKLPD X15, X15
	LOOP(8, FOUR128(TRIADVSSE2, MOVUPD), TRIAD1SSE2)
	RET

// func copyAVX512NT(dst, x, y *float64, k float64, n int)
TEXT ·copyAVX512NT(SB), NOSPLIT, $0-40
	ARGUMENTS
	ALIGN(64, COPY1)
	LOOP(32, FOUR512(COPYV, VMOVNTPD), COPY1)
	SFENCE
	VZEROUPPER
	RET

// func scaleAVX512NT(dst, x, y *float64, k float64, n int)
TEXT ·scaleAVX512NT(SB), NOSPLIT, $0-40
	ARGUMENTS
	VBROADCASTSD k+24(FP), Z15
	ALIGN(64, SCALE1)
	LOOP(32, FOUR512(SCALEV, VMOVNTPD), SCALE1)
	SFENCE
	VZEROUPPER
	RET

// func addAVX512NT(dst, x, y *float64, k float64, n int)
TEXT ·addAVX512NT(SB), NOSPLIT, $0-40
	ARGUMENTS
	ALIGN(64, ADD1)
	LOOP(32, FOUR512(ADDV, VMOVNTPD), ADD1)
	SFENCE
	VZEROUPPER
	RET

// func triadAVX512NT(dst, x, y *float64, k float64, n int)
TEXT ·triadAVX512NT(SB), NOSPLIT, $0-40
	ARGUMENTS
	VBROADCASTSD k+24(FP), Z15
	ALIGN(64, TRIAD1)
	LOOP(32, FOUR512(TRIADV, VMOVNTPD), TRIAD1)
	SFENCE
	VZEROUPPER
	RET

// func copyAVX2NT(dst, x, y *float64, k float64, n int)
TEXT ·copyAVX2NT(SB), NOSPLIT, $0-40
	ARGUMENTS
	ALIGN(32, COPY1)
	LOOP(16, FOUR256(COPYV, VMOVNTPD), COPY1)
	SFENCE
	VZEROUPPER
	RET

// func scaleAVX2NT(dst, x, y *float64, k float64, n int)
TEXT ·scaleAVX2NT(SB), NOSPLIT, $0-40
	ARGUMENTS
	VBROADCASTSD k+24(FP), Y15
	ALIGN(32, SCALE1)
	LOOP(16, FOUR256(SCALEV, VMOVNTPD), SCALE1)
	SFENCE
	VZEROUPPER
	RET

// func addAVX2NT(dst, x, y *float64, k float64, n int)
TEXT ·addAVX2NT(SB), NOSPLIT, $0-40
	ARGUMENTS
	ALIGN(32, ADD1)
	LOOP(16, FOUR256(ADDV, VMOVNTPD), ADD1)
	SFENCE
	VZEROUPPER
	RET

// func triadAVX2NT(dst, x, y *float64, k float64, n int)
TEXT ·triadAVX2NT(SB), NOSPLIT, $0-40
	ARGUMENTS
	VBROADCASTSD k+24(FP), Y15
	ALIGN(32, TRIAD1)
	LOOP(16, FOUR256(TRIADV, VMOVNTPD), TRIAD1)
	SFENCE
	VZEROUPPER
	RET

// func copySSE2NT(dst, x, y *float64, k float64, n int)
TEXT ·copySSE2NT(SB), NOSPLIT, $0-40
	ARGUMENTS
	ALIGN(16, COPY1SSE2)
	LOOP(8, FOUR128(COPYVSSE2, MOVNTPD), COPY1SSE2)
	SFENCE
	RET

// func scaleSSE2NT(dst, x, y *float64, k float64, n int)
TEXT ·scaleSSE2NT(SB), NOSPLIT, $0-40
	ARGUMENTS
	MOVSD k+24(FP), X15
	UNPCKLPD X15, X15
	ALIGN(16, SCALE1SSE2)
	LOOP(8, FOUR128(SCALEVSSE2, MOVNTPD), SCALE1SSE2)
	SFENCE
	RET

// func addSSE2NT(dst, x, y *float64, k float64, n int)
TEXT ·addSSE2NT(SB), NOSPLIT, $0-40
	ARGUMENTS
	ALIGN(16, ADD1SSE2)
	LOOP(8, FOUR128(ADDVSSE2, MOVNTPD), ADD1SSE2)
	SFENCE
	RET

// func triadSSE2NT(dst, x, y *float64, k float64, n int)
TEXT ·triadSSE2NT(SB), NOSPLIT, $0-40
	ARGUMENTS
	MOVSD k+24(FP), X15
	UNPCKLPD X15, X15
	ALIGN(16, TRIAD1SSE2)
	LOOP(8, FOUR128(TRIADVSSE2, MOVNTPD), TRIAD1SSE2)
	SFENCE
	RET

