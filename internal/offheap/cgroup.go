package offheap

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// limitFiles are the files of a control group with a limit and the usage under it.
type limitFiles struct {
	max, used string
	// cached are names in memory.stat of used memory that the kernel can reclaim. Empty: none.
	cached []string
}

var (
	cached1 = []string{"total_inactive_file", "total_active_file"}
	cached2 = []string{"inactive_file", "active_file"}
)

// memoryLimits are the files of version 2, then of version 1. Beyond memory.high the kernel does
// not kill, but slows a process down until it hardly runs.
var memoryLimits = []limitFiles{
	{"memory.max", "memory.current", cached2},
	{"memory.high", "memory.current", cached2},
	{"memory.limit_in_bytes", "memory.usage_in_bytes", cached1},
}

// hugeTLBLimits limit pages of one size in use, and reservations. Mappings are reservations. The
// kernel names the files by the size: "hugetlb.2MB.max", "hugetlb.1GB.max".
func hugeTLBLimits(pageBytes int) []limitFiles {
	pages := "hugetlb." + strings.ToUpper(sizeName(pageBytes)) + "B."
	return []limitFiles{
		{pages + "max", pages + "current", nil},
		{pages + "rsvd.max", pages + "rsvd.current", nil},
		{pages + "limit_in_bytes", pages + "usage_in_bytes", nil},
		{pages + "rsvd.limit_in_bytes", pages + "rsvd.usage_in_bytes", nil},
	}
}

// limit is one limit of a group, in bytes.
type limit struct{ max, used int64 }

// read returns false if this group has no such limit.
func (f limitFiles) read(root fs.FS, dir string) (limit, bool) {
	most, ok := number(root, path.Join(dir, f.max)) // "max" is no number
	if !ok {
		return limit{}, false
	}
	used, ok := number(root, path.Join(dir, f.used))
	return limit{most, used}, ok
}

// reclaimable is the part of a group's use that the kernel reclaims before it kills.
func reclaimable(root fs.FS, dir string, f limitFiles) (sum int64) {
	if len(f.cached) == 0 {
		return 0
	}
	for line := range strings.Lines(text(root, path.Join(dir, "memory.stat"))) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !slices.Contains(f.cached, name) {
			continue
		}
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			sum += n
		}
	}
	return sum
}

// groupDirs are the visible folders of this process's groups: its own and all above, of version 2
// and of version 1's hierarchy with this controller.
func groupDirs(root fs.FS, controller string) (dirs []string) {
	mounts := text(root, "proc/self/mountinfo")
	for line := range strings.Lines(text(root, "proc/self/cgroup")) {
		// "0::/path" is version 2, "4:cpu,memory:/path" version 1.
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, ok := strings.Cut(rest, ":")
		if !ok || controllers != "" && !has(controllers, controller) {
			continue
		}
		for mount := range strings.Lines(mounts) {
			if at, top, ok := groupMount(mount, controllers); ok {
				dirs = append(dirs, upwards(at, groupPath(group, top))...)
			}
		}
	}
	return dirs
}

// groupMount reads a line of mountinfo that mounts a hierarchy of control groups. It returns the
// mount point, and the group that is visible there.
//
//	35 31 0:32 /top /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
func groupMount(line, controllers string) (at, top string, ok bool) {
	mount, system, _ := strings.Cut(strings.TrimSpace(line), " - ")
	m, s := strings.Fields(mount), strings.Fields(system)
	if len(m) < 5 || len(s) < 3 {
		return "", "", false
	}
	switch {
	case controllers == "" && s[0] == "cgroup2":
	case controllers != "" && s[0] == "cgroup" && has(s[2], strings.Split(controllers, ",")...):
	default:
		return "", "", false
	}
	return strings.TrimPrefix(unescape(m[4]), "/"), unescape(m[3]), true
}

// has reports whether a comma-separated list contains all of these names.
func has(list string, names ...string) bool {
	in := strings.Split(list, ",")
	return !slices.ContainsFunc(names, func(s string) bool { return !slices.Contains(in, s) })
}

// unescape decodes the blanks of mountinfo.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace

// groupPath is the path of a group below the mount's top group. In a container the group may lie
// outside; then the mount shows the container's own group.
func groupPath(group, top string) string {
	if top == "/" && !strings.HasPrefix(group, "/..") {
		return group
	}
	if below, ok := strings.CutPrefix(group, top); ok && (below == "" || below[0] == '/') {
		return below
	}
	return "/"
}

// upwards are the folders from a group to the top of its mount.
func upwards(mount, group string) (dirs []string) {
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		dirs = append(dirs, path.Join(mount, group))
		if group == "/" {
			return dirs
		}
	}
}

// meminfo is /proc/meminfo: bytes, except for counts of pages.
func meminfo(root fs.FS) map[string]int64 {
	info := map[string]int64{}
	for line := range strings.Lines(text(root, "proc/meminfo")) {
		name, rest, _ := strings.Cut(line, ":")
		value, kilo := strings.CutSuffix(strings.TrimSpace(rest), " kB")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			if kilo {
				n <<= 10
			}
			info[name] = n
		}
	}
	return info
}

func number(root fs.FS, name string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text(root, name)), 10, 64)
	return n, err == nil
}

// text is the content of a file, or "" if there is no such file.
func text(root fs.FS, name string) string {
	b, _ := fs.ReadFile(root, name)
	return string(b)
}
