package cpu

import (
	"reflect"
	"slices"
	"testing"
)

func TestGroups(t *testing.T) {
	cpus := [][]int{{0}, {1, 2}, {3}, {2, 3}, {4}, {}}
	got := Groups(len(cpus), func(i, j int) bool {
		return slices.ContainsFunc(cpus[i], func(c int) bool { return slices.Contains(cpus[j], c) })
	})
	if want := [][]int{{0}, {1, 2, 3}, {4}, {5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
