package placement

import (
	"fmt"
	"slices"

	"dpukv/internal/cpu"
)

// cpuPlan is where a point's two ends run, and what is doubtful about it.
type cpuPlan struct {
	server, client []int
	warnings       []string
}

// planCPUs shares out the CPUs of one machine, given as cores with their threads. Nodes that name their
// CPUs get those. Otherwise the server has one half of the cores, of
// which it uses as many CPUs as it has threads, and the client has the other half.
func planCPUs(cores [][]int, p pair, serverThreads int) cpuPlan {
	server, client := halves(cores, serverThreads)
	plan := cpuPlan{server: server, client: client}
	if p.server.CPUs != nil {
		plan.server = p.server.CPUs
	}
	if p.client.CPUs != nil {
		plan.client = p.client.CPUs
	}
	plan.doubt(cores, serverThreads)
	return plan
}

// halves splits cores, never one core's threads from each other unless there is only
// that core: two threads of a core slow each other down.
func halves(cores [][]int, serverThreads int) (server, client []int) {
	if len(cores) == 1 {
		cores = singles(cores[0])
	}
	if len(cores) == 1 {
		return cores[0], cores[0]
	}
	half := len(cores) / 2
	server = spread(cores[:half])
	return server[:min(serverThreads, len(server))], spread(cores[half:])
}

func singles(cpus []int) [][]int {
	var cores [][]int
	for _, c := range cpus {
		cores = append(cores, []int{c})
	}
	return cores
}

// spread lists the cores' CPUs, the first thread of every core before any second one.
func spread(cores [][]int) []int {
	var cpus []int
	for thread := 0; ; thread++ {
		before := len(cpus)
		for _, core := range cores {
			if thread < len(core) {
				cpus = append(cpus, core[thread])
			}
		}
		if len(cpus) == before {
			return cpus
		}
	}
}

// doubt says what the client cannot see: it warns itself of CPUs that its threads, or it and the server, share.
func (c *cpuPlan) doubt(cores [][]int, serverThreads int) {
	if shared := slices.ContainsFunc(c.server, func(s int) bool { return slices.Contains(c.client, s) }); !shared && shareCore(cores, c.server, c.client) {
		c.warnings = append(c.warnings, fmt.Sprintf("client and server run on threads of the same core (CPUs %s and %s)", cpu.FormatList(c.client), cpu.FormatList(c.server)))
	}
	if serverThreads > len(c.server) {
		c.warnings = append(c.warnings, fmt.Sprintf("server threads share CPUs: %d threads, CPU %s", serverThreads, cpu.FormatList(c.server)))
	}
}

func shareCore(cores [][]int, a, b []int) bool {
	for _, core := range cores {
		if slices.ContainsFunc(core, func(c int) bool { return slices.Contains(a, c) }) &&
			slices.ContainsFunc(core, func(c int) bool { return slices.Contains(b, c) }) {
			return true
		}
	}
	return false
}
