// Package mqueue carries messages between two processes of which one makes no verbs calls. It joins
// the halves of a store: an engine on a DPU takes requests to the store on its host, and a proxy on
// a DPU takes them from the application on its host. Lynx calls such queues mqueues (ASPLOS '20,
// section 4).
//
// # Ends
//
// A lane has two ends, which one RC queue pair joins. The owner is the process whose memory the
// messages lie in. The mover moves them by one-sided RDMA. Independently of that, one end asks and
// the other answers, once to each request, in the order of the requests.
//
//	              asks        answers
//	engine        mover       owner: the store's worker
//	application   owner       mover: the proxy
//
// The number of slots is the only flow control. Nobody asks while as many requests have no answer
// yet. So a slot is free again when the answer to its request has come, and no message tells of
// credits.
//
// # Bytes
//
// The messages of each direction are numbered from 1. Message n lies in slot n mod slots. A control
// word of eight bytes tells that it is there:
//
//	bits 63        36 35    28 27         0
//	    | n mod 2^28 | code   | bytes      |
//
// The mover writes a message to the owner with one WRITE. Message and control word end with the
// slot:
//
//	slot: byte 0          size−8−bytes           size−8
//	           | not used | message, padded to 8 | control word |
//
// That is right if the device writes from low to high addresses: whoever finds the control word
// finds the message. Both ends check it at the start, with messages of the largest size. If a
// message came torn, each message is fenced from then on: the message alone, a READ of its last
// word, and after the READ's completion the control word.
//
// In the other direction, messages lie at the begin of their slots, and all control words stand
// together in a list. The owner stores a control word last, with release order. The mover fetches
// words with one READ, and then the messages that they announce. It assumes no order within a READ:
//
//	mover     READ words ──────▶ READ messages, READ words ──────▶ …
//
// With [Written], the owner writes its messages to the mover, as the mover does. That costs the
// owner a work request a message, and saves the READs.
//
// # Failures
//
// A TCP connection, the side channel, exists as long as the lane. Its end is the end of the peer. A
// control word that neither this lap nor the last one has written is an error, as are a length
// beyond the slot and a request beyond the slots. After an error, an end stays unusable.
package mqueue
