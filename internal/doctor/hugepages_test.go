package doctor

import (
	"slices"
	"testing"

	"dpukv/internal/machine"
)

// TestHugePagesOfALargePageKernel: the command names the size of pages. 512 pages of the kernel's
// default size would take 256 GiB.
func TestHugePagesOfALargePageKernel(t *testing.T) {
	found := hugepages(recorded(machine.Facts{
		PageBytes: 64 << 10, THP: "madvise", THPBytes: 512 << 20,
		HugePages: []machine.HugePagePool{
			{PageBytes: 2 << 20}, {PageBytes: 512 << 20, Total: 4, Free: 3}, {PageBytes: 16 << 30},
		},
	}, nil))
	want := "3 of 4 pages of 512 MiB free; transparent: madvise, of 512 MiB"
	mend := []string{"echo 512 | sudo tee /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"}
	if found.Found != want || !slices.Equal(found.Mend, mend) {
		t.Errorf("found %q, mended by %q; want %q, mended by %q", found.Found, found.Mend, want, mend)
	}
}
