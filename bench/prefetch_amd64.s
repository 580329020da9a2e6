#include "textflag.h"

// func prefetch(base unsafe.Pointer, offsets []uint64)
TEXT ·prefetch(SB), NOSPLIT, $0-32
	MOVQ  base+0(FP), BX
	MOVQ  offsets_base+8(FP), SI
	MOVQ  offsets_len+16(FP), CX
	TESTQ CX, CX
	JZ    done

next:
	MOVQ       (SI), AX
	PREFETCHT0 (BX)(AX*1)
	ADDQ       $8, SI
	DECQ       CX
	JNZ        next

done:
	RET
