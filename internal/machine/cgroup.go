package machine

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// cgroup returns the version of the control groups that govern CPU time here. It also returns how
// many CPUs' time they allow this process: the least along the path from its group to the top, or 0
// without a limit.
func cgroup(fs root) (version string, quotaCPUs float64) {
	if fs.exists("sys/fs/cgroup/cgroup.controllers") {
		return "v2", leastQuota("sys/fs/cgroup", ownGroup(fs, ""), func(dir string) float64 {
			quota, period, _ := strings.Cut(fs.read(dir+"/cpu.max"), " ")
			return share(quota, period)
		})
	}
	for _, mount := range []string{"sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"} {
		if fs.exists(mount) {
			return "v1", leastQuota(mount, ownGroup(fs, "cpu"), func(dir string) float64 {
				return share(fs.read(dir+"/cpu.cfs_quota_us"), fs.read(dir+"/cpu.cfs_period_us"))
			})
		}
	}
	return "", 0
}

// ownGroup is the path of this process's group under a controller. Version 2 has one hierarchy,
// without a name.
func ownGroup(fs root, controller string) string {
	for line := range strings.Lines(fs.read("proc/self/cgroup")) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) == 3 && slices.Contains(strings.Split(parts[1], ","), controller) {
			return parts[2]
		}
	}
	return "/"
}

// leastQuota asks quota for every folder from group up to mount. A folder that a namespace hides
// has no readable quota, so it does not count.
func leastQuota(mount, group string, quota func(dir string) float64) float64 {
	least := 0.0
	for g := path.Clean("/" + group); ; g = path.Dir(g) {
		if q := quota(path.Join(mount, g)); q > 0 && (least == 0 || q < least) {
			least = q
		}
		if g == "/" {
			return least
		}
	}
}

// share is a CPU quota over its period. It is 0 for "max", -1, or text that is no number.
func share(quota, period string) float64 {
	q, err := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0
	}
	return q / p
}
