package softroce

import "dpukv/verbs/softroce/wire"

import "sync/atomic"

// counter identifies a counter of the device. Those up to the last reason to drop a packet double
// as that reason.
type counter uint8

const (
	noDrop counter = iota
	badPacket
	badOpcode
	badPKey
	badICRC
	unknownQP
	wrongTransport
	notConnected
	wrongSource
	badQKey
	badRKey
	outOfRegion
	noRemoteAccess
	stalePSN
	outOfSequence
	badMessage
	noReceive
	receiveTooSmall
	localProtection
	qpInError
	unexpectedAck

	// These are not reasons to drop.
	psnGaps
	rxPackets
	rxBytes
	rxSyscalls
	rxEmpty
	rxTruncated
	rxErrors
	txPackets
	txBytes
	txSyscalls
	txTrains
	txErrors
	txTooLong
	txUnreachable
	txForbidden
	txNoRoom
	txFailed
	gsoRefused
	ipIDsSolved
	acksSent
	naksSent
	rnrNaksSent
	duplicates
	retransmitted
	timeouts
	cqOverruns

	counterCount
)

var counterNames = [counterCount]string{
	badPacket:       "bad_packet",       // too short, no multiple of four bytes, wrong version
	badOpcode:       "bad_opcode",       // not implemented
	badPKey:         "bad_pkey",         // another partition than the default one
	badICRC:         "bad_icrc",         //
	unknownQP:       "unknown_qp",       // no such QP, or closed
	wrongTransport:  "wrong_transport",  // an opcode of another service than the QP's
	notConnected:    "not_connected",    // the QP is not connected, or not yet
	wrongSource:     "wrong_source",     // UC, RC: not from the peer's address
	badQKey:         "bad_qkey",         // UD
	badRKey:         "bad_rkey",         // no region with this key in the QP's protection domain
	outOfRegion:     "out_of_region",    // any byte outside the region named by the key
	noRemoteAccess:  "no_remote_access", // region without RemoteWrite, RemoteRead
	stalePSN:        "stale_psn",        // UC: a WRITE sent before the newest received one
	outOfSequence:   "out_of_sequence",  // after a loss: UC the message's rest, RC until repeated
	badMessage:      "bad_message",      // lengths or order of packets that make no message
	noReceive:       "no_receive",       // no receive posted
	receiveTooSmall: "receive_too_small",
	localProtection: "local_protection", // a posted receive names missing memory
	qpInError:       "qp_in_error",
	unexpectedAck:   "unexpected_ack", // old, or for packets that were never sent

	psnGaps:       "psn_gaps", // UC: messages that began with an unexpected PSN
	rxPackets:     "rx_packets",
	rxBytes:       "rx_bytes",
	rxSyscalls:    "rx_syscalls",
	rxEmpty:       "rx_syscalls_empty",
	rxTruncated:   "rx_truncated",
	rxErrors:      "rx_errors", // of the socket, about an earlier packet: it goes on
	txPackets:     "tx_packets",
	txBytes:       "tx_bytes",
	txSyscalls:    "tx_syscalls",
	txTrains:      "tx_trains", // datagrams, of one packet or more, passed to the kernel
	txErrors:      "tx_errors", // packets that the kernel refused: the sum of the next five
	txTooLong:     "tx_too_long",
	txUnreachable: "tx_unreachable",
	txForbidden:   "tx_forbidden",
	txNoRoom:      "tx_no_room",
	txFailed:      "tx_failed",
	gsoRefused:    "gso_refused",
	ipIDsSolved:   "ip_ids_solved", // ICRCs checked with a computed IP ID
	acksSent:      "acks_sent",
	naksSent:      "naks_sent",
	rnrNaksSent:   "rnr_naks_sent",
	duplicates:    "duplicates", // RC: requests received again
	retransmitted: "retransmitted",
	timeouts:      "timeouts",
	cqOverruns:    "cq_overruns",
}

// faultCounters map faults of a payload to counters.
var faultCounters = [...]counter{
	wire.Malformed: badPacket, wire.ForeignOp: badOpcode,
	wire.ForeignPKey: badPKey,
}

// counters are the counters of a device.
type counters [counterCount]atomic.Uint64

func (c *counters) add(n counter, by uint64) { c[n].Add(by) }

// named returns all counters that are not zero.
func (c *counters) named() map[string]uint64 {
	m := make(map[string]uint64, counterCount)
	for i := range c {
		if v := c[i].Load(); v != 0 && counterNames[i] != "" {
			m[counterNames[i]] = v
		}
	}
	return m
}
