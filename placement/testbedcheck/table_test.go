package testbedcheck

import (
	"testing"

	"dpukv/internal/machine"
	"dpukv/placement/node"
	"dpukv/verbs/provider"
)

// TestProvidersCell says which provider works, and in short why another does not.
func TestProvidersCell(t *testing.T) {
	v := &visit{found: &node.Inspection{Providers: []provider.Availability{
		{Provider: "ibverbs", Error: "found no libibverbs.so.1: no such file: apt-get install libibverbs1"},
		{Provider: "softroce"},
		{Provider: "shm"},
	}}}
	want := "ibverbs: no (found no libibverbs.so.1); softroce: yes; shm: yes"
	if got := providersCell(v); got != want {
		t.Errorf("found  %s\nwanted %s", got, want)
	}
	v.found.Providers = []provider.Availability{{Provider: "ibverbs", Devices: []string{"mlx5_0", "mlx5_1"}}}
	if got := providersCell(v); got != "ibverbs: mlx5_0, mlx5_1" {
		t.Errorf("found %s", got)
	}
}

// TestHugePages: the cell tells pages of 512 MiB from pages of 2 MiB, and shows those of 64 KiB.
func TestHugePages(t *testing.T) {
	v := &visit{hello: &node.Hello{Machine: machine.Facts{
		PageBytes: 64 << 10, THP: "madvise", THPBytes: 512 << 20,
		HugePages: []machine.HugePagePool{
			{PageBytes: 64 << 10, Total: 9, Free: 9},
			{PageBytes: 2 << 20},
			{PageBytes: 512 << 20, Total: 3, Free: 2},
		},
	}}}
	want := "9 of 9 × 64 KiB free, 2 of 3 × 512 MiB free, transparent: madvise of 512 MiB; base pages of 64 KiB"
	if got := hugePages(v); got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}
