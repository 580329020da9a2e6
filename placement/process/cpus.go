package process

import (
	"slices"
	"strings"

	"dpukv/internal/cpu"
	"dpukv/results"
)

// Divide chooses CPUs. A process whose node names its CPUs gets those. A process with its cores to
// itself gets as many of their CPUs as it has threads. Processes that compete share: the server has
// one half of the cores, and uses as many of its CPUs as it has threads. The clients have the other
// half, each client its part if there are enough cores.
func Divide(list []*Process) {
	var open []*Process
	for _, e := range list {
		if e.CPUs = e.Node.CPUs; e.CPUs == nil && e.Cores != nil {
			open = append(open, e)
		}
	}
	for len(open) > 0 {
		rivals := slices.DeleteFunc(slices.Clone(open), func(p *Process) bool {
			return p != open[0] && !p.competes(open[0])
		})
		open = slices.DeleteFunc(open, func(p *Process) bool { return slices.Contains(rivals, p) })
		divide(rivals)
	}
}

// competes reports whether two processes may run on the same core.
func (p *Process) competes(o *Process) bool {
	return p.Kernel == o.Kernel && shareCore(p.Cores, p.all(), o.all())
}

// MostThreads is the number of CPUs that the process may use.
func (p *Process) MostThreads() int { return len(p.all()) }

func (p *Process) all() []int { return slices.Concat(p.Cores...) }

// divide gives each of the competing processes its part of the first one's cores.
func divide(list []*Process) {
	cores := list[0].Cores
	if len(cores) == 1 && len(list) > 1 {
		cores = singles(cores[0])
	}
	serves := func(p *Process) bool { return p.Role.Serves() }
	clients := slices.DeleteFunc(slices.Clone(list), serves)
	servers := slices.DeleteFunc(slices.Clone(list), func(p *Process) bool { return !serves(p) })
	rest := cores
	if len(servers) > 0 {
		half := len(cores)
		if len(clients) > 0 {
			half /= 2
			rest = cores[half:]
		}
		assignInTurn(servers, Spread(cores[:max(half, 1)]))
	}
	for i, n := 0, len(clients); i < n; i++ {
		part := rest[len(rest)*i/n : len(rest)*(i+1)/n]
		if n > len(rest) { // too few to divide
			part = rest
		}
		clients[i].assign(Spread(part))
	}
}

// assignInTurn gives each process as many CPUs as it has threads, and none twice while there are
// others.
func assignInTurn(list []*Process, cpus []int) {
	at := 0
	for _, e := range list {
		n := min(e.Threads, len(cpus))
		if at+n > len(cpus) {
			at = 0
		}
		e.assign(cpus[at : at+n])
		at += n
	}
}

// assign gives the process those of the CPUs that it may use. If these are none, it gives the
// process all CPUs that it may use.
func (p *Process) assign(cpus []int) {
	all := p.all()
	p.CPUs = slices.DeleteFunc(slices.Clone(cpus), func(c int) bool {
		return !slices.Contains(all, c)
	})
	if len(p.CPUs) == 0 {
		p.CPUs = all
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

// Spread lists the cores' CPUs: the first thread of every core comes before any second thread.
func Spread(cores [][]int) []int {
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

// Warnings returns the warnings that a client cannot give itself. A client warns of CPUs shared
// by its own threads, or by itself and the server.
func Warnings(list []*Process) (warnings results.Warnings) {
	note := func(format string, args ...any) {
		warnings = append(warnings, results.SharedCPUs.Warn(format, args...))
	}
	for i, e := range list {
		if (e.Role.Serves() || e.Role == Proxy) && e.CPUs != nil && e.Threads > len(e.CPUs) {
			note("%s threads share CPUs: %d threads, CPU %s", e.Role, e.Threads,
				cpu.FormatList(e.CPUs))
		}
		for _, o := range list[:i] {
			overlap := slices.ContainsFunc(e.CPUs, func(c int) bool {
				return slices.Contains(o.CPUs, c)
			})
			switch both := e.Kernel == o.Kernel; {
			case both && overlap && (e.Role.half() || o.Role.half()):
				note("%s and %s share CPUs (%s and %s)", e.Role, o.Role,
					cpu.FormatList(e.CPUs), cpu.FormatList(o.CPUs))
			case both && !overlap && shareCore(e.Cores, e.CPUs, o.CPUs):
				note("%s and %s run on threads of the same core (CPUs %s and %s)", e.Role,
					o.Role, cpu.FormatList(e.CPUs), cpu.FormatList(o.CPUs))
			}
		}
	}
	return append(warnings, clientsSharing(list)...)
}

// clientsSharing warns of clients that share CPUs with each other, once for all that do.
func clientsSharing(list []*Process) (warnings results.Warnings) {
	clients := slices.DeleteFunc(slices.Clone(list), func(p *Process) bool {
		return p.Role != Client
	})
	groups := cpu.Groups(len(clients), func(i, j int) bool {
		a, b := clients[i], clients[j]
		return a.Kernel == b.Kernel && slices.ContainsFunc(a.CPUs, func(c int) bool {
			return slices.Contains(b.CPUs, c)
		})
	})
	for _, g := range groups {
		if len(g) < 2 {
			continue
		}
		var names, cpus []string
		for _, i := range g {
			names = append(names, clients[i].Node.Name)
			cpus = append(cpus, cpu.FormatList(clients[i].CPUs))
		}
		warnings = append(warnings, results.SharedCPUs.Warn("clients %s share CPUs (%s)",
			strings.Join(names, " and "), strings.Join(cpus, " and ")))
	}
	return warnings
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
