#include "textflag.h"

// func prefetch(base unsafe.Pointer, offsets []uint64)
TEXT ·prefetch(SB), NOSPLIT, $0-32
	MOVD base+0(FP), R0
	MOVD offsets_base+8(FP), R1
	MOVD offsets_len+16(FP), R2
	CBZ  R2, done

next:
	MOVD.P 8(R1), R3
	ADD    R0, R3
	PRFM   (R3), PLDL1KEEP
	SUBS   $1, R2
	BNE    next

done:
	RET
