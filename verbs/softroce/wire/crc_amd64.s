//go:build !purego

#include "textflag.h"

// These are powers of x modulo the polynomial, and the polynomial with its inverse, from Intel's
// "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction".
DATA by16<>+0(SB)/8, $0x1751997d0
DATA by16<>+8(SB)/8, $0x0ccaa009e
DATA by4<>+0(SB)/8, $0x163cd6124
DATA by4<>+8(SB)/8, $0
DATA polynomial<>+0(SB)/8, $0x1db710641
DATA polynomial<>+8(SB)/8, $0x1f7011641
GLOBL by16<>(SB), RODATA, $16
GLOBL by4<>(SB), RODATA, $16
GLOBL polynomial<>(SB), RODATA, $16

// func fold(low, high uint64, p []byte) uint32
TEXT ·fold(SB), NOSPLIT, $0-44
	MOVQ   low+0(FP), X1
	PINSRQ $1, high+8(FP), X1
	MOVQ   p_base+16(FP), SI
	MOVQ   p_len+24(FP), CX
	MOVO   by16<>(SB), X0

next:
	CMPQ      CX, $16
	JLT       last
	MOVOA     X1, X5
	PCLMULQDQ $0x00, X0, X1
	PCLMULQDQ $0x11, X0, X5
	MOVOU     (SI), X2
	PXOR      X5, X1
	PXOR      X2, X1
	ADDQ      $16, SI
	SUBQ      $16, CX
	JMP       next

last:
	// 128 bits become 96, then 64, then by Barrett's reduction 32.
	PCMPEQB   X3, X3
	PSRLQ     $32, X3
	PCLMULQDQ $0x01, X1, X0
	PSRLDQ    $8, X1
	PXOR      X0, X1
	MOVOA     X1, X2
	MOVO      by4<>(SB), X0
	PSRLDQ    $4, X2
	PAND      X3, X1
	PCLMULQDQ $0x00, X0, X1
	PXOR      X2, X1
	MOVO      polynomial<>(SB), X0
	MOVOA     X1, X2
	PAND      X3, X1
	PCLMULQDQ $0x10, X0, X1
	PAND      X3, X1
	PCLMULQDQ $0x00, X0, X1
	PXOR      X2, X1
	PEXTRD    $1, X1, AX
	MOVL      AX, ret+40(FP)
	RET
