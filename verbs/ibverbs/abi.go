//go:build linux && (amd64 || arm64) && !static

package ibverbs

// These are the structures of infiniband/verbs.h that cross into C. Addresses of C's objects are
// numbers. TestLayout compares each field with the header, for each architecture.

//lint:file-ignore U1000 fields that no code reads keep the places of those it reads

// ibvDevice is struct ibv_device.
type ibvDevice struct {
	ops                     [2]uintptr
	nodeType, transportType int32
	name, devName           [64]byte
	devPath, ibdevPath      [256]byte
}

// ibvContext is the start of struct ibv_context. The functions that verbs.h has inline are here.
type ibvContext struct {
	device                         uintptr
	_                              [11]uintptr
	pollCQ, reqNotifyCQ            uintptr
	_                              [12]uintptr
	postSend, postRecv             uintptr
	_                              [5]uintptr
	cmdFD, asyncFD, numCompVectors int32
}

// ibvQP is the start of struct ibv_qp.
type ibvQP struct {
	context       uintptr
	_             [5]uintptr
	handle, qpNum uint32
	state, qpType int32
}

// ibvCQ is the start of struct ibv_cq.
type ibvCQ struct {
	context uintptr
}

// ibvMR is struct ibv_mr.
type ibvMR struct {
	context, pd, addr  uintptr
	length             uint64
	handle, lkey, rkey uint32
}

// ibvDeviceAttr is struct ibv_device_attr.
type ibvDeviceAttr struct {
	fwVer                         [64]byte
	nodeGUID, sysImageGUID        uint64
	maxMRSize, pageSizeCap        uint64
	vendorID, vendorPartID, hwVer uint32
	maxQP, maxQPWR                int32
	deviceCapFlags                uint32
	_                             [6]int32
	maxQPRdAtom                   int32
	_                             [2]int32
	maxQPInitRdAtom               int32
	_                             [16]int32
	maxPkeys                      uint16
	localCAAckDelay, physPortCnt  uint8
}

// ibvPortAttr is struct ibv_port_attr.
type ibvPortAttr struct {
	state, maxMTU, activeMTU, gidTblLen               int32
	portCapFlags, maxMsgSz, badPkeyCntr, qkeyViolCntr uint32
	pkeyTblLen, lid, smLID                            uint16
	_                                                 [8]uint8
	linkLayer, flags                                  uint8
	portCapFlags2                                     uint16
}

// ibvGlobalRoute is struct ibv_global_route.
type ibvGlobalRoute struct {
	_                                 [0]uint64 // the GID is aligned as a number of 64 bits is
	dgid                              [16]byte
	flowLabel                         uint32
	sgidIndex, hopLimit, trafficClass uint8
}

// ibvAHAttr is struct ibv_ah_attr.
type ibvAHAttr struct {
	grh                                            ibvGlobalRoute
	dlid                                           uint16
	sl, srcPathBits, staticRate, isGlobal, portNum uint8
}

// ibvQPCap is struct ibv_qp_cap.
type ibvQPCap struct {
	maxSendWR, maxRecvWR, maxSendSGE, maxRecvSGE, maxInlineData uint32
}

// ibvQPInitAttr is struct ibv_qp_init_attr.
type ibvQPInitAttr struct {
	qpContext, sendCQ, recvCQ, srq uintptr
	cap                            ibvQPCap
	qpType, sqSigAll               int32
}

// ibvQPAttr is struct ibv_qp_attr.
type ibvQPAttr struct {
	qpState, curQPState, pathMTU, pathMigState int32
	qkey, rqPSN, sqPSN, destQPNum              uint32
	qpAccessFlags                              uint32
	cap                                        ibvQPCap
	ahAttr, altAHAttr                          ibvAHAttr
	pkeyIndex, altPkeyIndex                    uint16
	enSQDAsyncNotify, sqDraining               uint8
	maxRdAtomic, maxDestRdAtomic, minRNRTimer  uint8
	portNum, timeout, retryCnt, rnrRetry       uint8
	altPortNum, altTimeout                     uint8
	rateLimit                                  uint32
}

// ibvSGE is struct ibv_sge.
type ibvSGE struct {
	addr         uint64
	length, lkey uint32
}

// ibvSendWR is struct ibv_send_wr. Of its unions it has the members of WRITE, READ and SEND.
type ibvSendWR struct {
	wrID           uint64
	next, sgList   uintptr
	numSGE, opcode int32
	sendFlags      uint32
	immData        uint32 // in network byte order
	// target is the remote address (wr.rdma.remote_addr), or the address handle (wr.ud.ah).
	target uint64
	// key is the remote key (wr.rdma.rkey), or the remote QP (wr.ud.remote_qpn).
	key        uint32
	remoteQKey uint32 // wr.ud.remote_qkey
	_          [9]uint64
}

// ibvRecvWR is struct ibv_recv_wr.
type ibvRecvWR struct {
	wrID         uint64
	next, sgList uintptr
	numSGE       int32
}

// ibvWC is struct ibv_wc.
type ibvWC struct {
	wrID             uint64
	status, opcode   int32
	vendorErr        uint32
	byteLen          uint32
	immData          uint32 // in network byte order
	qpNum, srcQP     uint32
	wcFlags          uint32
	pkeyIndex, slid  uint16
	sl, dlidPathBits uint8
}

// ibvAsyncEvent is struct ibv_async_event. Its element is an address, or a port number.
type ibvAsyncEvent struct {
	element   uint64
	eventType int32
}
