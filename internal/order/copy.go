//go:build !race

package order

// CopyFrom copies memory that others may change meanwhile, as a device does that reads it. The copy
// of such a word may mix its old and its new value.
func CopyFrom(dst, src []byte) int { return copy(dst, src) }
