package dpdk

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"dpukv/placement/submode/step"
)

// cardFolder has DPDK's programs on a BlueField. It is not in PATH. A program of the distribution
// in PATH would be another DPDK than that of the card's drivers.
const cardFolder = "/opt/mellanox/dpdk/bin"

// cardPath is a line of a script after which the programs of a BlueField's own DPDK come first.
const cardPath = "PATH=" + cardFolder + ":$PATH\n"

// FindTestpmd expects testpmd in the folder of a BlueField's DPDK, or in PATH.
func FindTestpmd() step.Step {
	return step.Step{
		Purpose: "dpdk-testpmd, in " + cardFolder + " or in PATH",
		Run:     step.Shell(cardPath+`command -v "$1"`, "dpdk-testpmd"),
		Advice: "install the card's own DPDK, of its DOCA image: apt-get install mlnx-dpdk; " +
			"a distribution's dpdk was not built with the card's drivers",
	}
}

// Program returns the file and the version of the testpmd that runs, by its process and its log. It
// needs the option -v.
func (t *Testpmd) Program(ctx context.Context, n step.Node) (string, error) {
	out, err := n.Run(ctx, step.Shell(`
cd "$1" && readlink "/proc/$(cat testpmd.pid)/exe" || exit
sed -n "s/.*RTE Version: '\([^']*\)'.*/\1/p" testpmd.log | head -n 1`, t.Dir))
	if err != nil {
		return "", fmt.Errorf("which dpdk-testpmd runs? %w", err)
	}
	file, version, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if file == "" || version == "" {
		return "", errors.New("found a dpdk-testpmd without its file and version in " + t.Dir +
			": " + step.Shorten(out))
	}
	return file + ", " + version, nil
}
