// Package quota ends a measurement after a number of operations, which several threads share.
//
// A thread takes an operation before it sends it. It takes them from the common rest in portions of
// at most a thousandth of its fair share. So the threads rarely touch memory in common, and none of
// them has much left when the rest is used up. The quota is over once every operation is answered.
package quota
