//go:build !purego && !race

#include "go_asm.h"
#include "textflag.h"

// findPlace sets PLACE to the place of the operation at SI. BX is the first place, R9 their number.
#define findPlace(PLACE) \
	MOVWLZX (Op_Hash+6)(SI), PLACE \ // bits 48-63
	IMULQ   R9, PLACE \
	SHRQ    $16, PLACE \
	IMUL3Q  $place__size, PLACE, PLACE \
	ADDQ    BX, PLACE

// func locateBuckets(ops []Op, places []place, addrs []uintptr)
TEXT ·locateBuckets(SB), NOSPLIT, $0-72
	MOVQ  ops_base+0(FP), SI
	MOVQ  ops_len+8(FP), CX
	MOVQ  places_base+24(FP), BX
	MOVQ  places_len+32(FP), R9
	MOVQ  addrs_base+48(FP), DI
	TESTQ CX, CX
	JZ    done

next:
	findPlace(R10)
	MOVL       (Op_Hash+2)(SI), AX // bits 16-47
	IMULQ      place_buckets(R10), AX
	SHRQ       $32, AX
	SHLQ       $6, AX
	ADDQ       place_index(R10), AX
	PREFETCHT0 (AX)
	MOVQ       AX, (DI)
	ADDQ       $Op__size, SI
	ADDQ       $8, DI
	DECQ       CX
	JNZ        next

done:
	RET

// func locateItems(
//	ops []Op, places []place, addrs []uintptr, offsets []uint64, versions []uint32, reach int)
TEXT ·locateItems(SB), NOSPLIT, $0-128
	MOVQ  ops_base+0(FP), SI
	MOVQ  ops_len+8(FP), CX
	MOVQ  places_base+24(FP), BX
	MOVQ  places_len+32(FP), R9
	MOVQ  addrs_base+48(FP), DI
	MOVQ  offsets_base+72(FP), R8
	MOVQ  versions_base+96(FP), R13
	TESTQ CX, CX
	JZ    done

next:
	findPlace(R10)
	MOVWLZX    Op_Hash(SI), AX
	CMPL       AX, $1 // tag 0 becomes 1
	ADCL       $0, AX
	MOVD       AX, X0
	PSHUFLW    $0, X0, X0
	PUNPCKLQDQ X0, X0
	MOVQ       (DI), DX
	MOVL       bucket_version(DX), R11 // before the slots: see shared.go
	MOVL       R11, (R13)
	MOVOU      bucket_slots(DX), X1
	PCMPEQW    X0, X1
	PMOVMSKB   X1, AX
	ANDL       $((1<<(2*const_slotsPerBucket))-1), AX
	JZ         none
	BSFL       AX, AX           // twice the slot's number
	LEAQ       (AX)(AX*2), AX
	MOVQ       (bucket_slots+const_offsetsAt)(DX)(AX*1), AX
	SHRQ       $16, AX
	MOVQ       place_log(R10), R11
	ADDQ       AX, R11
	MOVQ       reach+120(FP), R12
	PREFETCHT0 (R11)
	TESTQ      R12, R12
	JZ         fetched
	ADDQ       R11, R12 // the last word

line: // as often for each item, so the branch is predicted
	ADDQ       $const_lineBytes, R11
	CMPQ       R11, R12
	JCC        last
	PREFETCHT0 (R11)
	JMP        line

last:
	PREFETCHT0 (R12)

fetched:
	ORQ        place_foreign(R10), AX

found:
	MOVQ AX, (R8)
	ADDQ $Op__size, SI
	ADDQ $8, DI
	ADDQ $8, R8
	ADDQ $4, R13
	DECQ CX
	JNZ  next

done:
	RET

none: // AX is 0; the item can only be further down the chain
	MOVL  bucket_next(DX), R11
	TESTL R11, R11
	JZ    found
	ADDQ  place_buckets(R10), R11
	SHLQ  $6, R11
	ADDQ  place_index(R10), R11
	PREFETCHT0 -const_bucketBytes(R11)
	JMP   found
