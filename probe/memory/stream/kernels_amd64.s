//go:build !purego

#include "textflag.h"

// The vector kernels. A loop takes four vectors, a second one single elements. They load and store
// as compilers do for STREAM: unaligned, and through the caches.
// func copyAVX2(dst, src *float64, n int)
TEXT ·copyAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX
	MOVQ CX, BX
	ANDQ $-16, BX
	JZ   single

four:
	VMOVUPD (SI)(AX*8), Y0
	VMOVUPD Y0, (DI)(AX*8)
	VMOVUPD 32(SI)(AX*8), Y1
	VMOVUPD Y1, 32(DI)(AX*8)
	VMOVUPD 64(SI)(AX*8), Y2
	VMOVUPD Y2, 64(DI)(AX*8)
	VMOVUPD 96(SI)(AX*8), Y3
	VMOVUPD Y3, 96(DI)(AX*8)
	ADDQ $16, AX
	CMPQ AX, BX
	JL   four

single:
	CMPQ AX, CX
	JGE  end
	VMOVSD (SI)(AX*8), X0
	VMOVSD X0, (DI)(AX*8)
	INCQ AX
	JMP  single

end:
	VZEROUPPER
	RET

// func scaleAVX2(dst, src *float64, k float64, n int)
TEXT ·scaleAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	VBROADCASTSD k+16(FP), Y15
	MOVQ n+24(FP), CX
	XORQ AX, AX
	MOVQ CX, BX
	ANDQ $-16, BX
	JZ   single

four:
	VMULPD  (SI)(AX*8), Y15, Y0
	VMOVUPD Y0, (DI)(AX*8)
	VMULPD  32(SI)(AX*8), Y15, Y1
	VMOVUPD Y1, 32(DI)(AX*8)
	VMULPD  64(SI)(AX*8), Y15, Y2
	VMOVUPD Y2, 64(DI)(AX*8)
	VMULPD  96(SI)(AX*8), Y15, Y3
	VMOVUPD Y3, 96(DI)(AX*8)
	ADDQ $16, AX
	CMPQ AX, BX
	JL   four

single:
	CMPQ AX, CX
	JGE  end
	VMULSD (SI)(AX*8), X15, X0
	VMOVSD X0, (DI)(AX*8)
	INCQ AX
	JMP  single

end:
	VZEROUPPER
	RET

// func addAVX2(dst, x, y *float64, n int)
TEXT ·addAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), CX
	XORQ AX, AX
	MOVQ CX, BX
	ANDQ $-16, BX
	JZ   single

four:
	VMOVUPD (SI)(AX*8), Y0
	VADDPD  (DX)(AX*8), Y0, Y0
	VMOVUPD Y0, (DI)(AX*8)
	VMOVUPD 32(SI)(AX*8), Y1
	VADDPD  32(DX)(AX*8), Y1, Y1
	VMOVUPD Y1, 32(DI)(AX*8)
	VMOVUPD 64(SI)(AX*8), Y2
	VADDPD  64(DX)(AX*8), Y2, Y2
	VMOVUPD Y2, 64(DI)(AX*8)
	VMOVUPD 96(SI)(AX*8), Y3
	VADDPD  96(DX)(AX*8), Y3, Y3
	VMOVUPD Y3, 96(DI)(AX*8)
	ADDQ $16, AX
	CMPQ AX, BX
	JL   four

single:
	CMPQ AX, CX
	JGE  end
	VMOVSD (SI)(AX*8), X0
	VADDSD (DX)(AX*8), X0, X0
	VMOVSD X0, (DI)(AX*8)
	INCQ AX
	JMP  single

end:
	VZEROUPPER
	RET

// func triadAVX2(dst, x, y *float64, k float64, n int)
TEXT ·triadAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	VBROADCASTSD k+24(FP), Y15
	MOVQ n+32(FP), CX
	XORQ AX, AX
	MOVQ CX, BX
	ANDQ $-16, BX
	JZ   single

four:
	VMULPD  (DX)(AX*8), Y15, Y0
	VADDPD  (SI)(AX*8), Y0, Y0
	VMOVUPD Y0, (DI)(AX*8)
	VMULPD  32(DX)(AX*8), Y15, Y1
	VADDPD  32(SI)(AX*8), Y1, Y1
	VMOVUPD Y1, 32(DI)(AX*8)
	VMULPD  64(DX)(AX*8), Y15, Y2
	VADDPD  64(SI)(AX*8), Y2, Y2
	VMOVUPD Y2, 64(DI)(AX*8)
	VMULPD  96(DX)(AX*8), Y15, Y3
	VADDPD  96(SI)(AX*8), Y3, Y3
	VMOVUPD Y3, 96(DI)(AX*8)
	ADDQ $16, AX
	CMPQ AX, BX
	JL   four

single:
	CMPQ AX, CX
	JGE  end
	VMULSD (DX)(AX*8), X15, X0
	VADDSD (SI)(AX*8), X0, X0
	VMOVSD X0, (DI)(AX*8)
	INCQ AX
	JMP  single

end:
	VZEROUPPER
	RET

// func copyAVX512(dst, src *float64, n int)
TEXT ·copyAVX512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX
	MOVQ CX, BX
	ANDQ $-32, BX
	JZ   single

four:
	VMOVUPD (SI)(AX*8), Z0
	VMOVUPD Z0, (DI)(AX*8)
	VMOVUPD 64(SI)(AX*8), Z1
	VMOVUPD Z1, 64(DI)(AX*8)
	VMOVUPD 128(SI)(AX*8), Z2
	VMOVUPD Z2, 128(DI)(AX*8)
	VMOVUPD 192(SI)(AX*8), Z3
	VMOVUPD Z3, 192(DI)(AX*8)
	ADDQ $32, AX
	CMPQ AX, BX
	JL   four

single:
	CMPQ AX, CX
	JGE  end
	VMOVSD (SI)(AX*8), X0
	VMOVSD X0, (DI)(AX*8)
	INCQ AX
	JMP  single

end:
	VZEROUPPER
	RET

// func scaleAVX512(dst, src *float64, k float64, n int)
TEXT ·scaleAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	VBROADCASTSD k+16(FP), Z15
	MOVQ n+24(FP), CX
	XORQ AX, AX
	MOVQ CX, BX
	ANDQ $-32, BX
	JZ   single

four:
	VMULPD  (SI)(AX*8), Z15, Z0
	VMOVUPD Z0, (DI)(AX*8)
	VMULPD  64(SI)(AX*8), Z15, Z1
	VMOVUPD Z1, 64(DI)(AX*8)
	VMULPD  128(SI)(AX*8), Z15, Z2
	VMOVUPD Z2, 128(DI)(AX*8)
	VMULPD  192(SI)(AX*8), Z15, Z3
	VMOVUPD Z3, 192(DI)(AX*8)
	ADDQ $32, AX
	CMPQ AX, BX
	JL   four

single:
	CMPQ AX, CX
	JGE  end
	VMULSD (SI)(AX*8), X15, X0
	VMOVSD X0, (DI)(AX*8)
	INCQ AX
	JMP  single

end:
	VZEROUPPER
	RET

// func addAVX512(dst, x, y *float64, n int)
TEXT ·addAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), CX
	XORQ AX, AX
	MOVQ CX, BX
	ANDQ $-32, BX
	JZ   single

four:
	VMOVUPD (SI)(AX*8), Z0
	VADDPD  (DX)(AX*8), Z0, Z0
	VMOVUPD Z0, (DI)(AX*8)
	VMOVUPD 64(SI)(AX*8), Z1
	VADDPD  64(DX)(AX*8), Z1, Z1
	VMOVUPD Z1, 64(DI)(AX*8)
	VMOVUPD 128(SI)(AX*8), Z2
	VADDPD  128(DX)(AX*8), Z2, Z2
	VMOVUPD Z2, 128(DI)(AX*8)
	VMOVUPD 192(SI)(AX*8), Z3
	VADDPD  192(DX)(AX*8), Z3, Z3
	VMOVUPD Z3, 192(DI)(AX*8)
	ADDQ $32, AX
	CMPQ AX, BX
	JL   four

single:
	CMPQ AX, CX
	JGE  end
	VMOVSD (SI)(AX*8), X0
	VADDSD (DX)(AX*8), X0, X0
	VMOVSD X0, (DI)(AX*8)
	INCQ AX
	JMP  single

end:
	VZEROUPPER
	RET

// func triadAVX512(dst, x, y *float64, k float64, n int)
TEXT ·triadAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	VBROADCASTSD k+24(FP), Z15
	MOVQ n+32(FP), CX
	XORQ AX, AX
	MOVQ CX, BX
	ANDQ $-32, BX
	JZ   single

four:
	VMULPD  (DX)(AX*8), Z15, Z0
	VADDPD  (SI)(AX*8), Z0, Z0
	VMOVUPD Z0, (DI)(AX*8)
	VMULPD  64(DX)(AX*8), Z15, Z1
	VADDPD  64(SI)(AX*8), Z1, Z1
	VMOVUPD Z1, 64(DI)(AX*8)
	VMULPD  128(DX)(AX*8), Z15, Z2
	VADDPD  128(SI)(AX*8), Z2, Z2
	VMOVUPD Z2, 128(DI)(AX*8)
	VMULPD  192(DX)(AX*8), Z15, Z3
	VADDPD  192(SI)(AX*8), Z3, Z3
	VMOVUPD Z3, 192(DI)(AX*8)
	ADDQ $32, AX
	CMPQ AX, BX
	JL   four

single:
	CMPQ AX, CX
	JGE  end
	VMULSD (DX)(AX*8), X15, X0
	VADDSD (SI)(AX*8), X0, X0
	VMOVSD X0, (DI)(AX*8)
	INCQ AX
	JMP  single

end:
	VZEROUPPER
	RET

// The kernels as gcc -O0 makes them for STREAM's static arrays: the index and the factor live in
// memory, the index is loaded for each use, and an iteration takes one element.

// func copyStudy(dst, src *float64, n int)
TEXT ·copyStudy(SB), NOSPLIT, $16-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
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

// func scaleStudy(dst, src *float64, k float64, n int)
TEXT ·scaleStudy(SB), NOSPLIT, $16-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+24(FP), CX
	MOVQ $0, index-8(SP)
	JMP  test

next:
	MOVQ index-8(SP), AX
	LEAQ (AX*8), DX
	MOVSD (SI)(DX*1), X1
	MOVSD k+16(FP), X0
	MULSD X1, X0
	MOVQ index-8(SP), AX
	LEAQ (AX*8), DX
	MOVSD X0, (DI)(DX*1)
	ADDQ $1, index-8(SP)

test:
	CMPQ index-8(SP), CX
	JL   next
	RET

// func addStudy(dst, x, y *float64, n int)
TEXT ·addStudy(SB), NOSPLIT, $16-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), R8
	MOVQ n+24(FP), CX
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
