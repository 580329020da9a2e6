//go:build linux && !static

#include "textflag.h"

GLOBL ·trampolineAddress(SB), NOPTR|RODATA, $8
DATA ·trampolineAddress(SB)/8, $trampoline<>(SB)

// trampoline(frame *frame) in the System V convention: the frame is in DI. BX outlives a call of C.
// SP is a multiple of 16 before the call, as C wants it.
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ BP
	MOVQ  SP, BP
	PUSHQ BX
	SUBQ  $8, SP
	MOVQ  DI, BX
	MOVQ  0(BX), AX
	MOVQ  8(BX), DI
	MOVQ  16(BX), SI
	MOVQ  24(BX), DX
	MOVQ  32(BX), CX
	MOVQ  40(BX), R8
	MOVQ  48(BX), R9
	CALL  AX
	MOVQ  AX, 56(BX)
	ADDQ  $8, SP
	POPQ  BX
	POPQ  BP
	XORL  AX, AX
	RET
