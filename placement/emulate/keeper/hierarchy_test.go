package keeper

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
)

// TestParseHierarchy parses the mounts and groups of real machines.
func TestParseHierarchy(t *testing.T) {
	for name, test := range map[string]struct{ mountinfo, groups, want string }{
		"systemd, version 2": {
			"29 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 " +
				"rw,nsdelegate,memory_recursiveprot\n",
			"0::/user.slice/user-1000.slice/session-3.scope\n",
			"v2: /sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope /sys/fs/cgroup/user.slice/user-1000.slice " +
				"/sys/fs/cgroup/user.slice /sys/fs/cgroup",
		},
		"hybrid: the cpu controller is with version 1": {
			"30 23 0:26 / /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw\n" +
				"31 23 0:27 / /sys/fs/cgroup/cpuset rw shared:9 - cgroup cgroup rw,cpuset\n" +
				"33 23 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n",
			"5:cpuset:/\n4:cpu,cpuacct:/a\n0::/b\n",
			"v1: /sys/fs/cgroup/cpu,cpuacct/a /sys/fs/cgroup/cpu,cpuacct",
		},
		"container: the mount's top is its own group": {
			"1185 1184 0:28 /docker/abc /sys/fs/cgroup/cpu ro,nosuid master:16 - cgroup cgroup rw,cpu\n",
			"4:cpu:/docker/abc\n",
			"v1: /sys/fs/cgroup/cpu",
		},
		"container that is told nothing of its place": {
			"1185 1184 0:28 /docker/abc /sys/fs/cgroup/cpu ro,nosuid - cgroup cgroup rw,cpu\n",
			"4:cpu:/\n",
			"v1: /sys/fs/cgroup/cpu",
		},
		"a blank in the path": {
			`29 23 0:26 / /mnt/my\040groups rw - cgroup2 none rw` + "\n", "0::/x y\n",
			"v2: /mnt/my groups/x y /mnt/my groups",
		},
		"none": {"20 23 0:20 / /proc rw - proc proc rw\n", "", "found no mount with the cpu controller"},
	} {
		h, err := parseHierarchy(test.mountinfo, test.groups)
		got := fmt.Sprint(err)
		if err == nil {
			got = h.version + ": " + strings.Join(h.ancestors(), " ")
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

func FuzzParseHierarchy(f *testing.F) {
	f.Add("29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/a\n")
	f.Add("33 23 0:28 / /c rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n", "4:cpu,cpuacct:/a/../..\n")
	f.Fuzz(func(t *testing.T, mountinfo, groups string) {
		h, err := parseHierarchy(mountinfo, groups)
		if err != nil {
			return
		}
		dirs := h.ancestors()
		for i, dir := range dirs[1:] {
			if dir != filepath.Dir(dirs[i]) {
				t.Errorf("%q is not above %q", dir, dirs[i])
			}
		}
		if top := dirs[len(dirs)-1]; top != filepath.Clean(h.mount) {
			t.Errorf("the top is %q, the mount %q", top, h.mount)
		}
	})
}

// TestShare: quota over period is the requested share, and no quota is below the kernel's least.
func TestShare(t *testing.T) {
	for cpus, want := range map[float64][2]time.Duration{
		1:     {10 * time.Millisecond, 10 * time.Millisecond},
		0.24:  {2400 * time.Microsecond, 10 * time.Millisecond},
		4.576: {45760 * time.Microsecond, 10 * time.Millisecond},
		0.05:  {time.Millisecond, 20 * time.Millisecond},
		0.001: {time.Millisecond, time.Second},
	} {
		if quota, each := share(cpus); quota != want[0] || each != want[1] {
			t.Errorf("%g CPUs: %v every %v, want %v", cpus, quota, each, want)
		}
	}
}

// TestAbandoned: only groups of dead keepers of this PID namespace are swept.
func TestAbandoned(t *testing.T) {
	const here = 4026531836
	own := fmt.Sprintf("dpukv-lab-%d-%d-", here, os.Getpid())
	for name, want := range map[string]bool{
		own + StartOf(os.Getpid()):   false, // alive
		own + "1":                    true,  // its PID was given to another
		"dpukv-lab-4026531836-0-1":   true,
		"dpukv-lab-1-0-1":            false, // another container's
		"dpukv-lab-4026531836-x-1":   false,
		"dpukv-lab-4026531836":       false,
		"other-lab-4026531836-0-1":   false,
		"dpukv-lab-4026531836-0-1-2": false,
	} {
		if got := abandoned(name, here); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if name, err := groupName(); err != nil ||
		!strings.HasSuffix(name, fmt.Sprintf("-%d-%s", os.Getpid(), StartOf(os.Getpid()))) {
		t.Errorf("%s, %v", name, err)
	}
	if StartOf(0) != "" {
		t.Error("there is a process 0")
	}
}

// TestSweepIsForOwn: only a user removes the groups of that user's dead keepers.
func TestSweepIsForOwn(t *testing.T) {
	h, err := findHierarchy()
	if err != nil {
		t.Skip(err)
	}
	space := must.Get(inode("/proc/self/ns/pid"))(t)
	dir, err := h.create(fmt.Sprintf("%s%d-0-1", groupPrefix, space))
	if err != nil {
		t.Skipf("no control group can be made here: %v", err)
	}
	defer os.Remove(dir)
	const nobody = 65534
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Skipf("no other user's group can be made here: %v", err)
	}
	must.Do(t, Sweep())
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("another user's group: %v", err)
	}
	os.Chown(dir, os.Geteuid(), os.Getegid())
	must.Do(t, Sweep())
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("an own group is still there: %v", err)
	}
}
