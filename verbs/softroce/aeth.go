package softroce

import (
	"time"

	"dpukv/verbs"
)

// Syndromes of an AETH: what kind it is in the high three bits, and a value in the low five.
const (
	aethKindShift = 5
	aethValueMask = 0x1f

	aethAck = 0
	aethRNR = 1
	aethNak = 3

	// ackUnlimited is an ACK of a responder that counts no credits.
	ackUnlimited = 0x1f
	// rnrTimer asks for .64 ms before the next try.
	rnrTimer = aethRNR<<aethKindShift | 12

	nakSequence       = aethNak << aethKindShift
	nakInvalidRequest = nakSequence | 1
	nakRemoteAccess   = nakSequence | 2
	nakRemoteOp       = nakSequence | 3
)

// rnrDelays by timer value, in units of 10 µs.
var rnrDelays = [32]int{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

func rnrDelay(syndrome uint8) time.Duration {
	return time.Duration(rnrDelays[syndrome&aethValueMask]) * 10 * time.Microsecond
}

// statusOf a NAK that ends a request.
func statusOf(nak uint8) verbs.WCStatus {
	switch nak {
	case nakInvalidRequest:
		return verbs.StatusRemoteInvalid
	case nakRemoteAccess:
		return verbs.StatusRemoteAccess
	case nakRemoteOp:
		return verbs.StatusRemoteOp
	}
	return verbs.StatusGeneral
}
