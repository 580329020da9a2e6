package run

import (
	"fmt"
	"slices"

	"dpukv/internal/cpu"
	"dpukv/placement/machines"
	"dpukv/placement/neighbour"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

// end is a server or client process that needs CPUs.
type end struct {
	node    *testbed.Node
	kernel  string  // the kernel it runs on: processes of one kernel may compete for CPUs
	cores   [][]int // it may use, each a list of the core's CPUs
	server  bool    // the process that clients connect to
	role    string  // of a half beside that process, such as roleStore
	threads int
	cpus    []int // chosen by planCPUs; nil: unknown, as the node was not asked
}

// These are the roles of halves, as errors name them.
const (
	roleStore = "store half"
	roleProxy = "proxy"
)

// serves reports whether the process is on the server's side.
func (e *end) serves() bool { return e.server || e.role == roleStore }

// planCPUs chooses CPUs. An end whose node names its CPUs gets those. An end with its cores to
// itself gets as many of their CPUs as it has threads. Ends that compete share: the server has one
// half of the cores, and uses as many of its CPUs as it has threads. The clients have the other
// half, each client its part if there are enough cores.
func planCPUs(ends []*end) {
	var open []*end
	for _, e := range ends {
		if e.cpus = e.node.CPUs; e.cpus == nil && e.cores != nil {
			open = append(open, e)
		}
	}
	for len(open) > 0 {
		rivals := slices.DeleteFunc(slices.Clone(open), func(e *end) bool {
			return e != open[0] && !e.competes(open[0])
		})
		open = slices.DeleteFunc(open, func(e *end) bool { return slices.Contains(rivals, e) })
		divide(rivals)
	}
}

// competes reports whether two ends may run on the same core.
func (e *end) competes(o *end) bool {
	return e.kernel == o.kernel && shareCore(e.cores, e.all(), o.all())
}

func (e *end) all() []int { return slices.Concat(e.cores...) }

// divide gives each of the competing ends its part of the first end's cores.
func divide(ends []*end) {
	cores := ends[0].cores
	if len(cores) == 1 && len(ends) > 1 {
		cores = singles(cores[0])
	}
	clients := slices.DeleteFunc(slices.Clone(ends), (*end).serves)
	servers := slices.DeleteFunc(slices.Clone(ends), func(e *end) bool { return !e.serves() })
	rest := cores
	if len(servers) > 0 {
		half := len(cores)
		if len(clients) > 0 {
			half /= 2
			rest = cores[half:]
		}
		takeInTurn(servers, spread(cores[:max(half, 1)]))
	}
	for i, n := 0, len(clients); i < n; i++ {
		part := rest[len(rest)*i/n : len(rest)*(i+1)/n]
		if n > len(rest) { // too few to divide
			part = rest
		}
		clients[i].take(spread(part))
	}
}

// takeInTurn gives each end as many CPUs as it has threads, and none twice while there are others.
func takeInTurn(ends []*end, cpus []int) {
	at := 0
	for _, e := range ends {
		n := min(e.threads, len(cpus))
		if at+n > len(cpus) {
			at = 0
		}
		e.take(cpus[at : at+n])
		at += n
	}
}

// take gives the end those of the CPUs that it may use. If these are none, it gives the end all
// CPUs that it may use.
func (e *end) take(cpus []int) {
	all := e.all()
	e.cpus = slices.DeleteFunc(slices.Clone(cpus), func(c int) bool {
		return !slices.Contains(all, c)
	})
	if len(e.cpus) == 0 {
		e.cpus = all
	}
}

// singles returns a core's CPUs as cores of one CPU each. Two threads of a core slow each other
// down, so they are split only where there is nothing else to divide.
func singles(cpus []int) [][]int {
	var cores [][]int
	for _, c := range cpus {
		cores = append(cores, []int{c})
	}
	return cores
}

// spread lists the cores' CPUs: the first thread of every core comes before any second thread.
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

// cpuWarnings returns the warnings that a client cannot give itself. A client warns of CPUs shared
// by its own threads, or by itself and the server.
func cpuWarnings(ends []*end) (warnings []string) {
	note := func(format string, args ...any) {
		warnings = append(warnings, fmt.Sprintf(format, args...))
	}
	for i, e := range ends {
		if (e.server || e.role != "") && e.cpus != nil && e.threads > len(e.cpus) {
			note("%s threads share CPUs: %d threads, CPU %s", e.title(), e.threads,
				cpu.FormatList(e.cpus))
		}
		for _, o := range ends[:i] {
			overlap := slices.ContainsFunc(e.cpus, func(c int) bool {
				return slices.Contains(o.cpus, c)
			})
			switch both := e.kernel == o.kernel; {
			case both && overlap && e.role+o.role != "":
				note("%s and %s share CPUs (%s and %s)", e.title(), o.title(),
					cpu.FormatList(e.cpus), cpu.FormatList(o.cpus))
			case both && overlap && !e.server && !o.server:
				note("clients %s and %s share CPUs (%s and %s)", o.node.Name, e.node.Name,
					cpu.FormatList(o.cpus), cpu.FormatList(e.cpus))
			case both && !overlap && shareCore(e.cores, e.cpus, o.cpus):
				note("%s and %s run on threads of the same core (CPUs %s and %s)", e.title(),
					o.title(), cpu.FormatList(e.cpus), cpu.FormatList(o.cpus))
			}
		}
	}
	return warnings
}

func (e *end) title() string {
	if e.role != "" {
		return e.role
	}
	if e.server {
		return "server"
	}
	return "client"
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

// assignCPUs divides the CPUs, and gives emulated machines their CPU time.
func assignCPUs(
	on *machines.Machines, e *pointProcesses, pt *sweep.Point, nodes *testbed.Assignment,
) (warnings []string, err error) {
	var ends []*end
	for _, m := range e.members() {
		if m.end.threads = threadsOf(pt, nodes, &m.end); m.end.threads == 0 {
			m.end.threads = len(m.end.all())
		}
		if m.end.server && pt.Attach != "" {
			m.end.threads = 1 // the process here only watches the server
		}
		ends = append(ends, &m.end)
	}
	planCPUs(ends)
	weak, err := strengthen(on, ends)
	return append(cpuWarnings(ends), weak...), err
}

// strengthen gives each emulated machine the CPU time of as many cores as it runs threads.
func strengthen(on *machines.Machines, ends []*end) (warnings []string, err error) {
	threads, cpus := map[string]int{}, map[string][]int{}
	for _, e := range ends {
		name := e.node.Name
		threads[name] += e.threads
		cpus[name] = append(cpus[name], e.cpus...)
		// of several ends there, the last call counts
		quota, err := on.Strength(e.node, threads[name])
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", name, err)
		}
		slices.Sort(cpus[name])
		have := len(slices.Compact(slices.Clone(cpus[name])))
		if text := tooFewCPUs(name, threads[name], quota, have); text != "" {
			warnings = append(warnings, text)
		}
	}
	return warnings, nil
}

// wholeShare is the share of its CPUs from which a quota slows nothing down that could be measured.
const wholeShare = 0.95

// tooFewCPUs returns a warning if the quota of an emulated machine leaves its threads all of the
// CPUs that carry them. A quota of 0 is none.
func tooFewCPUs(name string, threads int, quota float64, have int) string {
	switch {
	case quota > float64(have):
		return fmt.Sprintf("node %s is weaker than its model: %d threads are to have the time "+
			"of %.2f CPUs, and it runs on %d", name, threads, quota, have)
	case quota >= wholeShare*float64(have) && quota > 0:
		return fmt.Sprintf("node %s: %d threads × strength %.2f = %.2f CPUs, and %d carry them: "+
			"the emulated DPU is as fast as its host here", name, threads, quota/float64(threads),
			quota, have)
	}
	return ""
}

// placeNeighbour chooses the CPUs of the neighbour, once the server has told its own.
func (m *measurement) placeNeighbour() (warnings []string) {
	by := m.all.neighbour
	if by == nil {
		return nil
	}
	rival, beside := m.all.itemsAt(), by.end.node.Name
	if rival.end.node.Name != beside && m.all.server.end.node.Name == beside {
		rival = m.all.server // the engine of a store on the DPU
	}
	on := neighbour.Machine{
		All: by.end.node.CPUs, Store: m.workCPUs(rival),
		Beside: rival.end.node.Name == beside,
	}
	if on.All == nil {
		on.All = spread(by.end.cores)
	}
	for _, o := range m.all.members() {
		if by.sameKernel(o) {
			on.Taken = append(on.Taken, m.workCPUs(o)...)
		}
	}
	if by.end.node.OnThisMachine() {
		on.Taken = append(on.Taken, m.path.forwarders()...)
	}
	var warning string
	if by.end.cpus, warning = on.CPUs(m.pt.Neighbour); warning != "" {
		warnings = append(warnings, warning)
	}
	return warnings
}

// workCPUs returns the CPUs of a process's threads: those that the server told, or those that the
// process got.
func (m *measurement) workCPUs(o *member) []int {
	var told []int
	if m.server != nil {
		switch lanes := m.server.Facts.Lanes; {
		case o == m.all.server:
			told = m.server.Facts.CPUs
		case o == m.all.store && lanes != nil:
			told = lanes.CPUs
		}
	}
	if len(told) > 0 {
		return told
	}
	return o.end.cpus
}

// sharesServer reports whether the neighbour has a CPU of the server that clients see.
func (m *measurement) sharesServer() bool {
	by, server := m.all.neighbour, m.all.server
	return by != nil && by.sameKernel(server) &&
		slices.ContainsFunc(m.workCPUs(server), func(c int) bool {
			return slices.Contains(by.end.cpus, c)
		})
}
