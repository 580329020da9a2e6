package submode

import (
	"fmt"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

func init() {
	cardCounters[blueFieldTestpmd] = []counters{
		{"right", testpmdSays(1000), testpmdSays(11000), ""},
		{"stopped", testpmdSays(1000), testpmdSays(1000), notTaken},
		{
			"the kernel, too", testpmdSays(1000),
			append(testpmdSays(11000), traffic{came: 11000, cpu: 9000}.says()...), elsewhere,
		},
	}
}

// testpmdSays returns answers in which testpmd has forwarded packets each way.
func testpmdSays(packets int) [][2]string {
	var log strings.Builder
	for port := range 2 {
		fmt.Fprintf(&log, `
  ---------------------- Forward statistics for port %d  ----------------------
  RX-packets: %[2]d             RX-dropped: 0             RX-total: %[2]d
  TX-packets: %[2]d             TX-dropped: 0             TX-total: %[2]d
`, port, packets)
	}
	for port := range 2 {
		fmt.Fprintf(&log, `
  ######################## NIC statistics for port %d  ########################
  RX-packets: %[2]d         RX-missed: 0          RX-bytes:  1848
  RX-errors: 0
  RX-nombuf:  0
  TX-packets: %[2]d         TX-errors: 0          TX-bytes:  1162
`, port, packets)
	}
	return [][2]string{
		{"RTE Version", testpmdFile + "\nMLNX_DPDK 22.11.2410.3.0\n"},
		{"tail -c", log.String()},
		{"wc -c", "7"},
	}
}

// TestLeastCPUs: testpmd on a card needs a CPU beside the one for its commands.
func TestLeastCPUs(t *testing.T) {
	_, err := New(Config{Submode: SM3, Target: BlueField, CPUs: []int{1}})
	const want = "found the CPUs [1] for testpmd, allowed: two or more, the first for its commands"
	if !failsWith(err, want) {
		t.Errorf("found %v, want %q", err, want)
	}
}

// testpmdFile is the file of testpmd on a BlueField's image, as NVIDIA's documents name it.
const testpmdFile = "/opt/mellanox/dpdk/bin/dpdk-testpmd"

// TestCardTestpmdInEvidence: the proof names the program that forwarded, and its version.
func TestCardTestpmdInEvidence(t *testing.T) {
	fake := &fakeCard{answers: testpmdSays(7)}
	s := mustNew(t, Config{Submode: SM3, Target: BlueField}).setup(blueFieldTestpmd, "/x")
	c := Counts{}
	must.Do(t, (cardTestpmd{}).Count(t.Context(), s, fake.node(), &c))
	title := s.datapath.describe(&s.Filter, c.Program)
	const want = "dpdk-testpmd, io forwarding on the Arm cores (" + testpmdFile +
		", MLNX_DPDK 22.11.2410.3.0)"
	if title != want {
		t.Errorf("found %q, want %q", title, want)
	}
}

// TestCardHugePages: every datapath with DPDK refuses a card without huge pages, before it changes
// anything. A DPDK that finds none ends Open vSwitch with all bridges of the card.
func TestCardHugePages(t *testing.T) {
	for _, d := range []*datapath{
		blueFieldDPDK, blueFieldTestpmd, blueFieldDPDKOffload, blueFieldDOCA,
	} {
		row := runsKernel
		if d == blueFieldDOCA {
			row = runsDOCA
		}
		fake := docaCard(row)
		fake.answers = append([][2]string{
			{"free_hugepages", "pool 2048 0\nmounted /dev/hugepages rw,pagesize=2M\n"},
		}, fake.answers...)
		_, err := mustNew(t, Config{Submode: d.submodes[0], Target: BlueField, Datapath: d.name}).
			Apply(t.Context(), fake.node())
		for _, want := range []string{
			"found 0 MiB in huge pages: 0 free of 2048 kB, allowed: 1024 MiB",
			"echo 2048 >/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
		} {
			if !failsWith(err, want) {
				t.Errorf("%s: found %v, want %q", d.name, err, want)
			}
		}
		fake.changedNothing(t, d.name)
	}
}
