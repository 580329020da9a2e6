// Package halves is the side channel by which the halves of a store find each other: what an engine
// asks its store half for, and what a session asks its proxy for. It is JSON over TCP, one value a
// line: see package verbs/sidechannel. dpukv/kvs/mica/storehalf tells the lines of a store half.
package halves
