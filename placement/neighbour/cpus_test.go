package neighbour

import (
	"slices"
	"strings"
	"testing"
)

func TestCPUs(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		on         Machine
		want       []int
		warns      bool
	}{
		{
			"cpu beside the store", CPU,
			Machine{[]int{0, 1, 2, 3}, []int{0, 1, 2}, []int{0, 1}, true},
			[]int{0, 1},
			false,
		},
		{
			"cache on the other CPUs", Cache,
			Machine{[]int{0, 1, 2, 3, 4}, []int{0, 1, 2}, []int{0, 1}, true},
			[]int{3, 4},
			false,
		},
		{
			"memory without other CPUs", Memory,
			Machine{[]int{0, 1}, []int{0, 1}, []int{0}, true},
			[]int{0},
			true,
		},
		{
			"cpu on the host of a DPU", CPU,
			Machine{[]int{0, 1, 2, 3}, nil, []int{6, 7}, false},
			[]int{0, 1},
			false,
		},
		{
			"cpu on a small host of a DPU", CPU,
			Machine{[]int{0}, nil, []int{6, 7}, false},
			[]int{0},
			false,
		},
		{
			"cpu on the emulated host of a DPU", CPU,
			Machine{[]int{0, 1}, []int{0, 1}, []int{0}, false},
			[]int{0},
			true,
		},
		{
			"memory on the host of a DPU", Memory,
			Machine{[]int{0, 1, 2}, nil, []int{0}, false},
			[]int{0, 1, 2},
			false,
		},
		{
			"memory on the client's machine", Memory,
			Machine{[]int{2, 3}, []int{2, 3}, []int{0}, false},
			[]int{2, 3},
			true,
		},
		{
			"cpu of a store without pinned CPUs", CPU,
			Machine{[]int{4, 5}, []int{4}, nil, true},
			[]int{5},
			false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, warning := c.on.CPUs(c.kind)
			if !slices.Equal(got, c.want) || (warning != "") != c.warns {
				t.Errorf("%v, warning %q; want %v", got, warning, c.want)
			}
			if c.warns && !strings.Contains(warning, c.kind) {
				t.Errorf("%q does not name the kind", warning)
			}
			if apart := strings.Contains(warning, "no effect of a host"); c.warns && apart == c.on.Beside {
				t.Errorf("%q, with the store on the same machine: %v", warning, c.on.Beside)
			}
		})
	}
}
