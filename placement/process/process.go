package process

import (
	"cmp"

	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

// Role is what a process does in a trial.
type Role string

// These are the roles, as texts name them.
const (
	Server    Role = "server"     // that clients connect to; of a probe of one machine, its process
	Engine    Role = "engine"     // that clients connect to: the network half of a server
	Store     Role = "store half" // of a server, with the items
	Client    Role = "client"
	Proxy     Role = "proxy" // the network half of a client
	Neighbour Role = "neighbour"
)

// StartOrder has the roles that others connect to. Each connects only to those before it.
var StartOrder = []Role{Store, Engine, Server, Proxy}

// EndOrder has all roles in the order in which they end, some at once: who asks ends before who
// answers.
var EndOrder = [][]Role{{Client, Neighbour}, {Proxy, Engine, Server}, {Store}}

// Serves reports whether a role is on the server's side.
func (r Role) Serves() bool { return r == Server || r == Engine || r == Store }

func (r Role) half() bool { return r == Store || r == Proxy }

// Process is one process of a trial.
type Process struct {
	Role    Role
	Node    *testbed.Node
	Threads int     // 0: as many as it has CPUs
	Kernel  string  // it runs on: processes of one kernel may compete for CPUs
	Cores   [][]int // it may use, each a list of the core's CPUs
	CPUs    []int   // chosen by Divide; nil: unknown, as the node was not asked
}

// Of returns the processes of an assignment: what clients connect to, the clients, the halves. This
// order is that of [testbed.Assignment.All], and the digest of a point's machines depends on it.
func Of(c *testbed.Assignment) []*Process {
	first := Server
	if c.Store != nil {
		first = Engine
	}
	list := []*Process{{Role: first, Node: &c.Server}}
	for i := range c.Clients {
		list = append(list, &Process{Role: Client, Node: &c.Clients[i]})
	}
	if c.Store != nil {
		list = append(list, &Process{Role: Store, Node: c.Store})
	}
	if c.Proxy != nil {
		list = append(list, &Process{Role: Proxy, Node: c.Proxy})
	}
	return list
}

// For returns the processes of an assignment with their threads for a point.
func For(c *testbed.Assignment, pt *sweep.Point) []*Process {
	list := Of(c)
	for _, p := range list {
		p.Threads = p.Role.threads(pt)
	}
	return list
}

// EngineThreads is the number of threads of an engine.
func EngineThreads(c *sweep.Config) int { return cmp.Or(c.EngineThreads, c.ServerThreads) }

func (r Role) threads(pt *sweep.Point) int {
	switch r {
	case Store:
		return pt.ServerThreads
	case Proxy:
		return pt.ClientThreads
	case Engine:
		return EngineThreads(&pt.Config)
	}
	return pt.Threads(r == Server)
}
