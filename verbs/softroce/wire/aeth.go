package wire

import (
	"time"

	"dpukv/verbs"
)

// A syndrome of an AETH has its kind in the high three bits, and a value in the low five.
const (
	SyndromeShift = 5
	aethValueMask = 0x1f

	SyndromeAck = 0
	SyndromeRNR = 1
	SyndromeNak = 3

	// AckUnlimited is an ACK of a responder without credits.
	AckUnlimited = 0x1f
	// RNRTimer asks for a delay of .64 ms before the next try.
	RNRTimer = SyndromeRNR<<SyndromeShift | 12

	NakSequence       = SyndromeNak << SyndromeShift
	NakInvalidRequest = NakSequence | 1
	NakRemoteAccess   = NakSequence | 2
	NakRemoteOp       = NakSequence | 3
)

// rnrDelays are the delays by timer value, in units of 10 µs.
var rnrDelays = [32]int{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

// RNRDelay returns the delay that the syndrome of an RNR NAK asks for.
func RNRDelay(syndrome uint8) time.Duration {
	return time.Duration(rnrDelays[syndrome&aethValueMask]) * 10 * time.Microsecond
}

// NakStatus returns the completion status of a request that a NAK ends.
func NakStatus(nak uint8) verbs.WCStatus {
	switch nak {
	case NakInvalidRequest:
		return verbs.StatusRemoteInvalid
	case NakRemoteAccess:
		return verbs.StatusRemoteAccess
	case NakRemoteOp:
		return verbs.StatusRemoteOp
	}
	return verbs.StatusGeneral
}
