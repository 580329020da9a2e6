//go:build linux && !static

#include "textflag.h"

GLOBL ·trampolineAddress(SB), NOPTR|RODATA, $8
DATA ·trampolineAddress(SB)/8, $trampoline<>(SB)

// trampoline(frame *frame) in the AAPCS64 convention: the frame is in R0. R19 outlives a call of C.
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0-0
	STP.W (R29, R30), -32(RSP)
	MOVD  R19, 16(RSP)
	MOVD  RSP, R29
	MOVD  R0, R19
	MOVD  0(R19), R9
	MOVD  8(R19), R0
	MOVD  16(R19), R1
	MOVD  24(R19), R2
	MOVD  32(R19), R3
	MOVD  40(R19), R4
	MOVD  48(R19), R5
	CALL  (R9)
	MOVD  R0, 56(R19)
	MOVD  16(RSP), R19
	LDP.P 32(RSP), (R29, R30)
	MOVD  ZR, R0
	RET
