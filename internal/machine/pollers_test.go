package machine

import "testing"

// TestCrowdedPollers: threads that poll need a CPU each, of those that they are pinned to or may
// use, and of the quota.
func TestCrowdedPollers(t *testing.T) {
	for _, c := range []struct {
		threads int
		pinned  []int
		allowed int
		quota   float64
		want    string
	}{
		{1, []int{0}, 1, 0, ""},
		{2, []int{3, 1, 3}, 8, 0, ""},
		{2, []int{3, 3}, 8, 0, "2 threads on CPUs 3"},
		{3, []int{0, 1}, 8, 0, "3 threads on CPUs 0-1"},
		{2, nil, 2, 0, ""},
		{3, nil, 2, 0, "3 threads on 2 CPUs"},
		{3, nil, 0, 0, ""}, // not known
		{2, nil, 4, 2, ""},
		{2, []int{0, 1}, 4, 1.5, "2 threads have a quota of 1.50 CPUs"},
	} {
		if got := crowded(c.threads, c.pinned, c.allowed, c.quota); got != c.want {
			t.Errorf("%+v: found %q", c, got)
		}
	}
}
