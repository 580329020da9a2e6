#include "textflag.h"

// func readCounter() uint64
TEXT ·readCounter(SB), NOSPLIT, $0-8
	RDTSCP // waits for the instructions before it
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET

#define ADD8 ADDQ BX, AX; ADDQ BX, AX; ADDQ BX, AX; ADDQ BX, AX; ADDQ BX, AX; ADDQ BX, AX; ADDQ BX, AX; ADDQ BX, AX

// func addChain(rounds int) uint64
// 64 additions a round, each of which needs the last one's sum. The loop's own instructions run beside them.
TEXT ·addChain(SB), NOSPLIT, $0-16
	MOVQ rounds+0(FP), CX
	MOVQ $1, AX
	MOVQ $3, BX
loop:
	ADD8; ADD8; ADD8; ADD8; ADD8; ADD8; ADD8; ADD8
	DECQ CX
	JNZ  loop
	MOVQ AX, ret+8(FP)
	RET
