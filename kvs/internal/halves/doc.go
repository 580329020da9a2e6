// Package halves is the side channel by which an engine asks its store half. It is JSON over TCP,
// one value a line: see package verbs/sidechannel. dpukv/kvs/mica/storehalf tells the lines.
package halves
