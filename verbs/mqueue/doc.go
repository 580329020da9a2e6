// Package mqueue joins two processes by a lane: two arrays of slots and one RC queue pair. A lane
// carries requests one way and their answers the other way, in order.
//
// # Ends
//
// The owner's memory holds the slots of both directions. The mover reaches them by one-sided verbs,
// so the owner's CPU moves nothing. One end is the requester and the other one the answerer: the
// end that sends first is the requester. That can be either end of the memory:
//
//	engine on the DPU, store worker on the host    mover requests, owner answers
//	application on the host, proxy on the DPU      owner requests, mover answers
//
// Messages of the mover leave by WRITE. Messages of the owner leave by one of two ways:
//
//	read      the mover fetches them by READ: the owner calls no verbs
//	write     the owner WRITEs them into slots in the mover's memory
//
// # Flow control
//
// Each request has one answer. A requester has at most as many requests without an answer as there
// are slots. Message n of either direction lies in slot n mod slots. So an answer gives its slot
// back, and there are no credits.
//
// # Memory
//
// Each end has one region. An array starts on a cache line.
//
//	in        slots     messages from the peer
//	out       slots     messages to the peer
//	controls  8 × slots control words of out, for the peer's READ
//	fetched   8 × slots control words that this end has READ from the peer
//	fence     8         where the fencing READ lands
//
//	slot of out:  byte 0                                    stride
//	                   | payload | padding | control word | … |
//	slot of in:        | … | payload | padding | control word |
//
// A control word has 64 bits: 0–15 code, 16–38 bytes of the payload, 39 present, 40–63 sequence.
// Present is always 1, so that no message has the word 0. The sequence is the number of the message
// plus 1. The payload is padded to whole words.
//
// # Message by WRITE
//
// Payload and control word leave in one WRITE, which ends at the end of the slot. The receiver
// polls the control word, which is the doorbell. That is right only if the last word of a WRITE
// becomes visible after all others. No specification promises this order. So it is right where both
// devices promise it ([dpukv/verbs.LastWord]). Else the lane is fenced: a WRITE of the payload, a
// READ, and, after the READ is complete, a WRITE of the control word. Where the devices promise
// nothing, not even whole words, there is no lane.
//
// Both ends also send some messages before the first one, and look whether a payload is late. That
// proves no order. It is an alarm: the lane is then fenced in spite of the promise.
//
// # Message by READ
//
// The owner stores the payload in out, then the control word with release order in controls. The
// mover READs several control words at once. Then it READs the payloads of the messages that it
// found, together with the next control words. READs of one queue pair complete in order. No order
// inside a READ is assumed.
//
// # Trust and failure
//
// The peer is not trusted with the process: an end checks every control word, and every number of
// the peer's description, before use. A peer can change the bytes of a message at any time. An
// error ends the lane, and each later Poll returns it. The side channel stays open as long as the
// lane. Its end is the end of the peer. If the peer's machine disappears, the side channel ends
// after [dpukv/verbs/sidechannel.GoneAfter].
package mqueue
