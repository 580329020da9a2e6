package offheap

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

const mountinfo = `23 1 254:0 / / rw,relatime - ext4 /dev/vda rw
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
36 31 0:33 / /sys/fs/cgroup/hugetlb rw,relatime - cgroup cgroup rw,hugetlb
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`

// system is a machine with 8 GiB available and these text files.
func system(files ...map[string]string) fstest.MapFS {
	root := fstest.MapFS{
		"proc/meminfo":        {Data: []byte("MemTotal: 16777216 kB\nMemAvailable:    8388608 kB\n")},
		"proc/self/mountinfo": {Data: []byte(mountinfo)},
		"proc/self/cgroup":    {Data: []byte("0::/a/b\n4:memory:/x/y\n5:hugetlb:/h\n")},
	}
	for _, f := range files {
		for name, text := range f {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return root
}

// The groups of system. Each has 300 MiB, of which 10 are in use.
var (
	v1     = group(dir1+"/x/y", "memory.limit_in_bytes", "memory.usage_in_bytes")
	v1up   = group(dir1+"/x", "memory.limit_in_bytes", "memory.usage_in_bytes")
	v2     = group(dir2+"/a/b", "memory.max", "memory.current")
	v2up   = group(dir2+"/a", "memory.max", "memory.current")
	v2top  = group(dir2, "memory.max", "memory.current")
	v2high = group(dir2+"/a/b", "memory.high", "memory.current")
)

const (
	dir1   = "sys/fs/cgroup/memory"
	dir2   = "sys/fs/cgroup/unified"
	cached = "anon 5\ninactive_file 200000000\nactive_file 100000000\n" +
		"total_inactive_file 200000000\ntotal_active_file 100000000\n"
)

func group(dir, limit, use string) map[string]string {
	return map[string]string{dir + "/" + limit: "314572800\n", dir + "/" + use: "10485760\n"}
}

func TestFits(t *testing.T) {
	full := func(g map[string]string, dir, stat string) map[string]string { // all in use
		g = maps.Clone(g)
		for name := range g {
			if strings.HasSuffix(name, "current") || strings.HasSuffix(name, "usage_in_bytes") {
				g[name] = "314572800"
			}
		}
		g[dir+"/memory.stat"] = stat
		return g
	}
	none := map[string]string{
		dir1 + "/x/y/memory.limit_in_bytes": "9223372036854771712\n",
		dir1 + "/x/y/memory.usage_in_bytes": "4096\n",
		dir2 + "/a/b/memory.max":            "max\n",
		dir2 + "/a/b/memory.current":        "4096\n",
	}
	// Version 1 without a cgroup namespace has the host's path.
	container := group("sys/fs/the groups", "memory.limit_in_bytes", "memory.usage_in_bytes")
	container["proc/self/cgroup"] = "4:cpu,memory:/docker/1f/sub\n"
	container["proc/self/mountinfo"] = "35 31 0:32 /docker/1f /sys/fs/the\\040groups ro - cgroup cgroup rw,cpu,memory\n"
	nothing := map[string]string{"proc/meminfo": "", "proc/self/cgroup": ""}
	for name, c := range map[string]struct {
		files map[string]string
		mib   int64
		names string // what the error names; empty: there is none
	}{
		"nothing known":          {nothing, 1 << 20, ""},
		"machine, fits":          {nil, 8000, ""},
		"machine, too much":      {nil, 8192, "8192 MiB of memory available"},
		"no limit":               {none, 1024, ""},
		"v1, fits":               {v1, 270, ""},
		"v1, too much":           {v1, 1024, "/sys/fs/cgroup/memory/x/y/memory.limit_in_bytes"},
		"v1, no reserve left":    {v1, 280, "memory.limit_in_bytes"},
		"v1, the group above":    {v1up, 1024, "/sys/fs/cgroup/memory/x/memory.limit_in_bytes"},
		"v1, container":          {container, 1024, "/sys/fs/the groups/memory.limit_in_bytes"},
		"v2, fits":               {v2, 270, ""},
		"v2, too much":           {v2, 1024, "300 MiB, with 10 MiB in use (/sys/fs/cgroup/unified/a/b/memory.max)"},
		"v2, the group above":    {v2up, 1024, "/sys/fs/cgroup/unified/a/memory.max"},
		"v2, top of a container": {v2top, 1024, "/sys/fs/cgroup/unified/memory.max"},
		"v2, high":               {v2high, 1024, "/sys/fs/cgroup/unified/a/b/memory.high"},
		"v1, cache goes":         {full(v1, dir1+"/x/y", cached), 250, ""},
		"v2, cache goes":         {full(v2, dir2+"/a/b", cached), 250, ""},
		"v2, all of it in use":   {full(v2, dir2+"/a/b", "anon 300000000\n"), 1, "memory.max"},
	} {
		t.Run(name, func(t *testing.T) {
			err := fits(system(c.files), c.mib<<20, Small)
			if (err != nil) != (c.names != "") || !strings.Contains(fmt.Sprint(err), c.names) {
				t.Errorf("%d MiB: error %v, want one of %q", c.mib, err, c.names)
			}
		})
	}
}

// TestFitsHugePages: the reserved pool is separate from available memory, and has limits of its
// own.
func TestFitsHugePages(t *testing.T) {
	// The default size is another than that of the pages which are there.
	pool := map[string]string{
		"proc/meminfo": "MemAvailable: 1024 kB\nHugePages_Free: 0\nHugepagesize: 524288 kB\n",
	}
	for _, c := range []struct {
		pages Pages
		mib   int64
		fits  bool
	}{
		{Auto, 1024, true},
		{Auto, 1025, false},
		{HugeTLB, 4096, true},
		{THP, 100, false},
		{Small, 100, false},
	} {
		if err := fits(withPool(system(pool), 2<<20, 600, 512), c.mib<<20, c.pages); (err == nil) != c.fits {
			t.Errorf("%d MiB of %s pages: %v", c.mib, c.pages, err)
		}
	}
	const pages1 = "sys/fs/cgroup/hugetlb"
	for _, files := range []map[string]string{
		group(pages1+"/h", "hugetlb.2MB.limit_in_bytes", "hugetlb.2MB.usage_in_bytes"),
		group(pages1, "hugetlb.2MB.rsvd.limit_in_bytes", "hugetlb.2MB.rsvd.usage_in_bytes"),
		group(dir2+"/a", "hugetlb.2MB.max", "hugetlb.2MB.current"),
		group(dir2+"/a/b", "hugetlb.2MB.rsvd.max", "hugetlb.2MB.rsvd.current"),
	} {
		if err := fitsHugeTLB(system(files), 290<<20, 2<<20); err != nil {
			t.Errorf("290 MiB with %v: %v", files, err)
		}
		err := fitsHugeTLB(system(files), 292<<20, 2<<20)
		if err == nil || !strings.Contains(err.Error(), "hugetlb.2MB") {
			t.Errorf("292 MiB with %v: %v", files, err)
		}
	}
	large := system(group(pages1+"/h", "hugetlb.512MB.limit_in_bytes", "hugetlb.512MB.usage_in_bytes"))
	if err := fitsHugeTLB(large, 512<<20, 512<<20); err == nil {
		t.Error("a limit on pages of 512 MiB does not count")
	}
	accounted := map[string]string{"proc/self/mountinfo": "41 31 0:38 / /sys/fs/cgroup/unified rw - " +
		"cgroup2 cgroup2 rw,memory_hugetlb_accounting\n"}
	if err := fitsHugeTLB(system(v2, accounted), 1<<30, 2<<20); err == nil {
		t.Error("huge pages that count as memory have no limit")
	}
}

// TestAvailable: the least of the machine's memory and that of all groups counts.
func TestAvailable(t *testing.T) {
	for name, c := range map[string]struct {
		root fstest.MapFS
		want int64
		of   string
	}{
		"machine":   {system(), 8 << 30, "this machine"},
		"version 1": {system(v1), 290 << 20, "(/" + dir1 + "/x/y/memory.limit_in_bytes)"},
		"version 2": {system(v2top), 290 << 20, "(/" + dir2 + "/memory.max)"},
		"cached": {
			system(v2, map[string]string{dir2 + "/a/b/memory.stat": "inactive_file 1048576\n"}), 291 << 20, dir2,
		},
		"nothing": {fstest.MapFS{}, 1<<63 - 1, ""},
	} {
		if got, of := available(c.root); got != c.want || !strings.Contains(of, c.of) {
			t.Errorf("%s: found %d on %q, want %d on %q", name, got, of, c.want, c.of)
		}
	}
}
