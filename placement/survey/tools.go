package survey

import (
	"context"
	"os/exec"
	"strings"
	"sync"

	"dpukv/internal/foreign"
)

// Tool is a program that a datapath or a check may need.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"` // as it says, or "yes"; "": not there
}

// wanted are the tools, with the arguments that make them print their version and end. Without
// arguments, a tool is only searched for.
var wanted = [][]string{
	{"ip", "-V"},
	{"tc", "-V"},
	{"ethtool", "--version"},
	{"ovs-vsctl", "--version"},
	{"dpdk-testpmd"}, // would take over devices
	{"mlxconfig", "-v"},
	{"ib_write_lat", "--version"},
}

// tools asks all tools at once.
func tools(ctx context.Context) []Tool {
	list := make([]Tool, len(wanted))
	var all sync.WaitGroup
	for i, argv := range wanted {
		all.Go(func() { list[i] = Tool{argv[0], version(ctx, argv)} })
	}
	all.Wait()
	return list
}

func version(ctx context.Context, argv []string) string {
	if _, err := exec.LookPath(argv[0]); err != nil {
		return ""
	}
	if len(argv) == 1 {
		return "yes"
	}
	// Its stdin is empty: the process's stdin carries the protocol.
	out, err := foreign.RunCombined(exec.CommandContext(ctx, argv[0], argv[1:]...))
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil || line == "" {
		return "yes"
	}
	return line
}
