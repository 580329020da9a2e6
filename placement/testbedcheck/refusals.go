package testbedcheck

import (
	"fmt"
	"slices"
	"strings"
)

// refusals are the reasons why placements cannot run. One reason often stops many of them.
type refusals struct{ list []refusal }

// refusal is one reason, with the placements and the stores that it stops.
type refusal struct {
	why                string
	placements, stores []string
}

// add adds a placement that cannot run with a store.
func (r *refusals) add(placement, store, why string) {
	i := slices.IndexFunc(r.list, func(other refusal) bool { return other.why == why })
	if i < 0 {
		i, r.list = len(r.list), append(r.list, refusal{why: why})
	}
	one := &r.list[i]
	if !slices.Contains(one.placements, placement) {
		one.placements = append(one.placements, placement)
	}
	if !slices.Contains(one.stores, store) {
		one.stores = append(one.stores, store)
	}
}

// write writes one line for each reason.
func (r *refusals) write(b *strings.Builder) {
	for i := range r.list {
		one := &r.list[i]
		fmt.Fprintf(b, "%s with %s cannot run: %s\n", strings.Join(one.placements, ", "),
			strings.Join(one.stores, ", "), one.why)
	}
}
