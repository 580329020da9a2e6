#include "textflag.h"

// func readCounter() uint64
TEXT ·readCounter(SB), NOSPLIT, $0-8
	ISB  $15 // waits for the instructions before it
	MRS  CNTVCT_EL0, R0
	MOVD R0, ret+0(FP)
	RET

// func counterFrequency() uint64
TEXT ·counterFrequency(SB), NOSPLIT, $0-8
	MRS  CNTFRQ_EL0, R0
	MOVD R0, ret+0(FP)
	RET

#define ADD8 ADD R1, R0; ADD R1, R0; ADD R1, R0; ADD R1, R0; ADD R1, R0; ADD R1, R0; ADD R1, R0; ADD R1, R0

// func addChain(rounds int) uint64
// 64 additions a round, each of which needs the last one's sum. The loop's own instructions run beside them.
TEXT ·addChain(SB), NOSPLIT, $0-16
	MOVD rounds+0(FP), R2
	MOVD $1, R0
	MOVD $3, R1
loop:
	ADD8; ADD8; ADD8; ADD8; ADD8; ADD8; ADD8; ADD8
	SUB  $1, R2
	CBNZ R2, loop
	MOVD R0, ret+8(FP)
	RET
