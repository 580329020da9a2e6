package pipetest

import (
	"fmt"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs/kvstest"
)

// Trickle checks answers that come in pieces of a few bytes.
func Trickle(t *testing.T, st Store) {
	addr, _ := st.Start(t)
	p := NewProxy(t, addr)
	r := must.Get(st.Dial(t.Context(), p.Addr))(t)
	defer r.Close()
	for _, piece := range []int{13, 1000} {
		p.Trickle(piece)
		t.Run(fmt.Sprint("by ", piece), func(t *testing.T) {
			kvstest.Operations(t, r, kvstest.Limits{})
		})
	}
}
