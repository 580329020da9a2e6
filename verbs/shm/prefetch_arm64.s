//go:build !purego

#include "textflag.h"

// func prefetchWrite(at unsafe.Pointer, lines uintptr)
TEXT ·prefetchWrite(SB), NOSPLIT, $0-16
	MOVD at+0(FP), R0
	MOVD lines+8(FP), R1
	CBZ  R1, done

next:
	PRFM (R0), PSTL1KEEP
	ADD  $64, R0
	SUB  $1, R1
	CBNZ R1, next

done:
	RET

// func prefetchRead(at unsafe.Pointer, lines uintptr)
TEXT ·prefetchRead(SB), NOSPLIT, $0-16
	MOVD at+0(FP), R0
	MOVD lines+8(FP), R1
	CBZ  R1, done

next:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0
	SUB  $1, R1
	CBNZ R1, next

done:
	RET
