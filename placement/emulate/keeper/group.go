package keeper

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The kernel renews quotas every period, here ten times as often as by default. So a machine that
// has used up its share stands still for milliseconds only. The kernel accepts no quota below the
// least.
const (
	period     = 10 * time.Millisecond
	leastQuota = time.Millisecond
	mostPeriod = time.Second
)

// groups are the control groups of a lab: one group with a child for each limited machine.
type groups struct {
	*hierarchy
	dir string
}

// newGroups makes the lab's own group. Quotas make the machines' groups later.
func newGroups() (*groups, error) {
	h, err := findHierarchy()
	if err != nil {
		return nil, err
	}
	name, err := groupName()
	if err != nil {
		return nil, err
	}
	dir, err := h.create(name)
	if err != nil {
		return nil, err
	}
	return &groups{h, dir}, nil
}

// setQuota limits a machine to the time of so many CPUs; 0: no limit. It makes the machine's group
// if there is none.
func (g *groups) setQuota(space string, cpus float64) (Set, error) {
	dir := filepath.Join(g.dir, space)
	procs := filepath.Join(dir, "cgroup.procs")
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return Set{}, err
	}
	if cpus == 0 {
		return Set{Procs: procs}, nil
	}
	quota, each := share(cpus)
	if each > mostPeriod || quota < leastQuota {
		return Set{}, fmt.Errorf("%s: found a share of %g CPUs, allowed: %g or more", space, cpus,
			leastQuota.Seconds()/mostPeriod.Seconds())
	}
	if err := g.writeQuota(dir, quota, each); err != nil {
		return Set{}, fmt.Errorf("limit %s to %g CPUs: %w", space, cpus, err)
	}
	quota, each, err := g.readQuota(dir)
	return Set{procs, float64(quota) / float64(each), each.Nanoseconds()}, err
}

// The files of a quota: two in version 1, one with both numbers in version 2. All are in
// microseconds.
const (
	quotaV1  = "cpu.cfs_quota_us"
	periodV1 = "cpu.cfs_period_us"
	maxV2    = "cpu.max"
)

func (g *groups) writeQuota(dir string, quota, each time.Duration) error {
	q, p := strconv.FormatInt(quota.Microseconds(), 10), strconv.FormatInt(each.Microseconds(), 10)
	if g.version == "v2" {
		return write(filepath.Join(dir, maxV2), q+" "+p)
	}
	// In this order no step asks for more than a limit further up allows.
	return errors.Join(
		write(filepath.Join(dir, quotaV1), "-1"),
		write(filepath.Join(dir, periodV1), p),
		write(filepath.Join(dir, quotaV1), q))
}

// readQuota reads the quota that the kernel has set.
func (g *groups) readQuota(dir string) (quota, each time.Duration, err error) {
	files := []string{quotaV1, periodV1}
	if g.version == "v2" {
		files = []string{maxV2}
	}
	var text string
	for _, file := range files {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return 0, 0, err
		}
		text += string(b) + " "
	}
	var q, p int64
	if n, _ := fmt.Sscan(text, &q, &p); n != 2 || q <= 0 || p <= 0 {
		return 0, 0, fmt.Errorf("%s: the kernel tells the quota %q, want two numbers", dir, text)
	}
	return time.Duration(q) * time.Microsecond, time.Duration(p) * time.Microsecond, nil
}

// share returns the quota for so many CPUs and its period. The period is longer where the quota
// would be too short.
func share(cpus float64) (quota, each time.Duration) {
	each = period
	if cpus > 0 && cpus*period.Seconds() < leastQuota.Seconds() {
		each = time.Duration(float64(leastQuota) / cpus).Round(time.Microsecond)
	}
	return time.Duration(cpus * float64(each)).Round(time.Microsecond), each
}

// members returns the processes in the groups below dir.
func members(dir string) []int {
	var pids []int
	files, _ := filepath.Glob(filepath.Join(dir, "*", "cgroup.procs"))
	for _, file := range append(files, filepath.Join(dir, "cgroup.procs")) {
		text, _ := os.ReadFile(file)
		for word := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil && pid != os.Getpid() {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// removeGroups removes a lab's group and the groups below it, once nothing runs in them.
func removeGroups(dir string) error {
	if left := endAll(0, func() []int { return members(dir) }); len(left) > 0 {
		return fmt.Errorf("remove %s: the processes %v do not end", dir, left)
	}
	children, _ := filepath.Glob(filepath.Join(dir, "*", "cgroup.procs"))
	for _, file := range children {
		if err := rmdir(filepath.Dir(file)); err != nil {
			return err
		}
	}
	return rmdir(dir)
}

// rmdir removes a group. The kernel refuses that for a moment after the last process ended.
func rmdir(dir string) error {
	for end := time.Now().Add(lastCall); ; time.Sleep(glance) {
		err := os.Remove(dir)
		if err == nil || errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if time.Now().After(end) {
			return err
		}
	}
}
