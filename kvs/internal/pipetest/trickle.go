package pipetest

import (
	"fmt"
	"testing"

	"dpukv/kvs/kvstest"
)

// Trickle checks answers that come in pieces of a few bytes.
func Trickle(t *testing.T, st Store) {
	p, r := st.behindProxy(t, Start(t, st.Store, nil))
	for _, piece := range []int{13, 1000} {
		p.Trickle(piece)
		t.Run(fmt.Sprint("by ", piece), func(t *testing.T) {
			kvstest.Operations(t, r, kvstest.Limits{})
		})
	}
}
