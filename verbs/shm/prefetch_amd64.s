//go:build !purego

#include "textflag.h"

// func prefetchWrite(at unsafe.Pointer, lines uintptr)
TEXT ·prefetchWrite(SB), NOSPLIT, $0-16
	MOVQ at+0(FP), SI
	MOVQ lines+8(FP), CX
	TESTQ CX, CX
	JZ   done

next:
	BYTE $0x0f; BYTE $0x0d; BYTE $0x0e // PREFETCHW (SI), which the assembler does not know
	ADDQ $64, SI
	DECQ CX
	JNZ  next

done:
	RET

// func prefetchRead(at unsafe.Pointer, lines uintptr)
TEXT ·prefetchRead(SB), NOSPLIT, $0-16
	MOVQ  at+0(FP), SI
	MOVQ  lines+8(FP), CX
	TESTQ CX, CX
	JZ    done

next:
	PREFETCHT0 (SI)
	ADDQ       $64, SI
	DECQ       CX
	JNZ        next

done:
	RET
