package machine

import "testing"

func TestCgroupQuota(t *testing.T) {
	for name, test := range map[string]struct {
		files   map[string]string
		version string
		quota   float64
	}{
		"v2, the parent is tighter": {map[string]string{
			"sys/fs/cgroup/cgroup.controllers": "cpu",
			"proc/self/cgroup":                 "0::/a/b",
			"sys/fs/cgroup/a/b/cpu.max":        "400000 100000",
			"sys/fs/cgroup/a/cpu.max":          "150000 100000",
		}, "v2", 1.5},
		"v2, no limit": {map[string]string{
			"sys/fs/cgroup/cgroup.controllers": "cpu",
			"proc/self/cgroup":                 "0::/a",
			"sys/fs/cgroup/a/cpu.max":          "max 100000",
		}, "v2", 0},
		"v1": {map[string]string{
			"proc/self/cgroup":                        "5:memory:/x\n4:cpu,cpuacct:/box\n",
			"sys/fs/cgroup/cpu/box/cpu.cfs_quota_us":  "200000",
			"sys/fs/cgroup/cpu/box/cpu.cfs_period_us": "100000",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us":      "-1",
			"sys/fs/cgroup/cpu/cpu.cfs_period_us":     "100000",
		}, "v1", 2},
	} {
		version, quota := cgroup(tree(t, test.files))
		if version != test.version || quota != test.quota {
			t.Errorf("%s: got %q and %v, want %q and %v", name, version, quota, test.version, test.quota)
		}
	}
}
