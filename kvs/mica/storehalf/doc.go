// Package storehalf is the half of MICA that keeps the items: the workers with their partitions,
// without a network. An engine, which is a MICA server without items, takes the requests of clients
// to them, and the answers back. The engine can run on the host's DPU.
//
// # Lanes
//
// Each thread of the engine has a lane (package verbs/mqueue) to one worker. The worker owns the
// memory of the lane. A message to it is a request frame of MICA, as a client has sent it. A
// message from it is the answer frame, or with code 1 the reason why the frame was illegal. So one
// message carries a batch. With the answers "read" the worker calls no verbs.
//
// # The side channel
//
// An engine asks for everything else over TCP. A connection begins with one line of JSON:
//
//	{"version":1,"want":"facts"}             answered with kvs.Facts, once
//	{"version":1,"want":"stats"}             answered with kvs.Stats, once
//	{"version":1,"want":"lane","thread":2}   the connection becomes the side channel of a lane
//
// A request that cannot be met is answered with {"error":"…"}, and the connection ends. Each thread
// of an engine has one lane at a time. If an engine ends, another one may take its place.
//
// # Waiting
//
// A worker without requests waits as its configuration says ([idle.Wait]). By default it polls: it
// spins, and soon yields its CPU at each turn. Or it naps, for 50 to 100 µs at a time. Waking up
// costs a few microseconds of CPU time, so a nap should bring several batches. [kvs.Stats] has the
// CPU time of the turns that found nothing.
package storehalf
