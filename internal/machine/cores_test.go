package machine

import (
	"reflect"
	"testing"
)

func TestCoresGroupSiblings(t *testing.T) {
	files := map[string]string{}
	for i, cpu := range []string{"cpu0", "cpu1", "cpu2", "cpu3"} {
		files["sys/devices/system/cpu/"+cpu+"/topology/thread_siblings_list"] = []string{"0,2", "1,3"}[i%2]
	}
	if got, want := cores(tree(t, files), []int{0, 1, 2, 3}), [][]int{{0, 2}, {1, 3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := cores(tree(t, nil), []int{4, 5}), [][]int{{4}, {5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("nothing known: got %v, want %v", got, want)
	}
}
