//go:build ibverbs && linux

package ibverbs

import (
	"testing"

	"dpukv/verbs/verbstest"
)

// TestConformance has one device talk with itself: soft-RoCE allows no second one in a network namespace.
func TestConformance(t *testing.T) {
	verbstest.Loopback(t, open(t), open(t))
}
