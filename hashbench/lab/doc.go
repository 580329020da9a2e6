// Package lab holds what developers of hash functions need and no command of dpukv does. It is a
// module of its own, so that dpukv's tests and its vet don't build it:
//
//	reference   C's functions beside Go's: the same bits, and the times of both (make bench-hash-c)
//	hash-model  what functions would take on Cortex-A72 and A78 (make hash-model); its parts are
//	            model and target
package lab
