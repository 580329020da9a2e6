//go:build linux && (amd64 || arm64) && !static

package ibverbs

// These are numbers of infiniband/verbs.h. TestConstants compares them with the header.
const (
	qptRC = 2
	qptUC = 3
	qptUD = 4

	qpsInit = 1
	qpsRTR  = 2
	qpsRTS  = 3

	mtu256  = 1
	mtu4096 = 5

	portActive        = 4
	linkLayerEthernet = 2

	accessLocalWrite  = 1
	accessRemoteWrite = 2
	accessRemoteRead  = 4

	wcSuccess      = 0
	wcGeneralErr   = 21
	wcRecvBit      = 1 << 7
	wcRecvRDMAImm  = wcRecvBit + 1
	wcOpSend       = 0
	wcOpRDMAWrite  = 1
	wcOpRDMARead   = 2
	wcFlagWithImm  = 1 << 1
	wrRDMAWrite    = 0
	wrRDMAWriteImm = 1
	wrSend         = 2
	wrSendImm      = 3
	wrRDMARead     = 4
	sendSignaled   = 1 << 1
	sendSolicited  = 1 << 2
	sendInline     = 1 << 3
)

// These select fields of ibvQPAttr.
const (
	qpMaskState           = 1 << 0
	qpMaskAccessFlags     = 1 << 3
	qpMaskPkeyIndex       = 1 << 4
	qpMaskPort            = 1 << 5
	qpMaskQKey            = 1 << 6
	qpMaskAV              = 1 << 7
	qpMaskPathMTU         = 1 << 8
	qpMaskTimeout         = 1 << 9
	qpMaskRetryCnt        = 1 << 10
	qpMaskRNRRetry        = 1 << 11
	qpMaskRQPSN           = 1 << 12
	qpMaskMaxQPRdAtomic   = 1 << 13
	qpMaskMinRNRTimer     = 1 << 15
	qpMaskSQPSN           = 1 << 16
	qpMaskMaxDestRdAtomic = 1 << 17
	qpMaskDestQPN         = 1 << 20
)

// These are the types of asynchronous events.
const (
	eventCQErr            = 0
	eventQPFatal          = 1
	eventQPReqErr         = 2
	eventQPAccessErr      = 3
	eventPathMigErr       = 7
	eventDeviceFatal      = 8
	eventPortActive       = 9
	eventPortErr          = 10
	eventLIDChange        = 11
	eventPkeyChange       = 12
	eventSMChange         = 13
	eventQPLastWQEReached = 16
	eventClientReregister = 17
	eventGIDChange        = 18
)
