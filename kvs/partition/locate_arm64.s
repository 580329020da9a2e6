//go:build !purego && !race

#include "go_asm.h"
#include "textflag.h"

// findPlace sets PLACE to the place of the operation at R0. R2 is the first place, R3 their number,
// R4 the size of one.
#define findPlace(PLACE) \
	MOVHU (Op_Hash+6)(R0), PLACE \ // bits 48-63
	MUL   R3, PLACE \
	LSR   $16, PLACE \
	MADD  R4, R2, PLACE, PLACE

// func locateBuckets(ops []Op, places []place, addrs []uintptr)
TEXT ·locateBuckets(SB), NOSPLIT, $0-72
	MOVD ops_base+0(FP), R0
	MOVD ops_len+8(FP), R1
	MOVD places_base+24(FP), R2
	MOVD places_len+32(FP), R3
	MOVD $place__size, R4
	MOVD addrs_base+48(FP), R5
	CBZ  R1, done

next:
	findPlace(R10)
	MOVD   Op_Hash(R0), R6
	UBFX   $16, R6, $32, R6
	MOVD   place_buckets(R10), R7
	MUL    R7, R6
	LSR    $32, R6
	MOVD   place_index(R10), R7
	ADD    R6<<6, R7, R6
	PRFM   (R6), PLDL1KEEP
	MOVD.P R6, 8(R5)
	ADD    $Op__size, R0
	SUBS   $1, R1
	BNE    next

done:
	RET

// func locateItems(
//	ops []Op, places []place, addrs []uintptr, offsets []uint64, versions []uint32, reach int)
TEXT ·locateItems(SB), NOSPLIT, $0-128
	MOVD ops_base+0(FP), R0
	MOVD ops_len+8(FP), R1
	MOVD places_base+24(FP), R2
	MOVD places_len+32(FP), R3
	MOVD $place__size, R4
	MOVD addrs_base+48(FP), R5
	MOVD offsets_base+72(FP), R6
	MOVD versions_base+96(FP), R13
	CBZ  R1, done

next:
	findPlace(R10)
	MOVHU  Op_Hash(R0), R7
	CMP    $0, R7 // tag 0 becomes 1
	CINC   EQ, R7, R7
	VDUP   R7, V0.H8
	MOVD.P 8(R5), R8
	LDARW  (R8), R14 // the version, before the slots: see shared.go
	MOVW.P R14, 4(R13)
	ADD    $bucket_slots, R8, R9
	VLD1   (R9), [V1.H8]
	VCMEQ  V0.H8, V1.H8, V1.H8
	VUZP1  V1.B16, V1.B16, V1.B16 // a byte for each lane
	VMOV   V1.D[0], R11
	AND    $((1<<(8*const_slotsPerBucket))-1), R11
	CBZ    R11, none
	RBIT   R11, R11
	CLZ    R11, R11
	LSR    $3, R11 // the slot's number
	ADD    R11<<1, R11, R11
	ADD    R11<<1, R9, R9
	MOVD   const_offsetsAt(R9), R7
	LSR    $16, R7
	MOVD   place_log(R10), R11
	ADD    R7, R11
	MOVD   reach+120(FP), R12
	PRFM   (R11), PLDL1KEEP
	CBZ    R12, fetched
	ADD    R11, R12 // the last word

line: // as often for each item, so the branch is predicted
	ADD  $const_lineBytes, R11
	CMP  R12, R11
	BHS  last
	PRFM (R11), PLDL1KEEP
	B    line

last:
	PRFM (R12), PLDL1KEEP

fetched:
	MOVD place_foreign(R10), R11
	ORR  R11, R7

found:
	MOVD.P R7, 8(R6)
	ADD    $Op__size, R0
	SUBS   $1, R1
	BNE    next

done:
	RET

none: // the item can only be further down the chain
	MOVD  ZR, R7
	MOVWU bucket_next(R8), R11
	CBZ   R11, found
	MOVD  place_buckets(R10), R12
	ADD   R12, R11
	MOVD  place_index(R10), R12
	ADD   R11<<6, R12, R11
	SUB   $const_bucketBytes, R11
	PRFM  (R11), PLDL1KEEP
	B     found
