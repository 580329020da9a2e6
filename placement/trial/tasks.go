package trial

import (
	"net"

	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/load"
	"dpukv/placement/node"
	"dpukv/placement/plan"
	"dpukv/placement/process"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

// taskOf returns the task of what serves a store: a row for each role.
func (s *storing) taskOf(role process.Role) (*node.Configure, error) {
	if role == process.Proxy {
		var err error
		spec := &node.ProxySpec{Store: s.t.pt.Store, ProxyConfig: kvs.ProxyConfig{
			Listen: s.t.nodes.Proxy.Listen(), Server: s.server().Addr,
			Threads: s.t.pt.ClientThreads, Wait: s.t.pt.Wait,
		}}
		spec.Device, err = laneDevice(s.t.nodes.Proxy, &s.t.nodes.Clients[0])
		return &node.Configure{Proxy: spec}, err
	}
	spec, err := serverSpec(s.t.pt, &s.t.nodes.Server)
	if err != nil {
		return nil, err
	}
	switch role {
	case process.Server:
		if s.t.pt.Attach != "" {
			spec.Credentials = s.t.b.Credentials
		}
		if stores.OverVerbs(s.t.pt.Store) {
			spec.Device.Name, err = s.t.nodes.Device(&s.t.nodes.Server)
		}
	case process.Store:
		spec.Half, spec.Listen = kvs.PartStore, s.t.nodes.Store.Listen()
		spec.Device, err = laneDevice(s.t.nodes.Store, &s.t.nodes.Server)
	case process.Engine:
		spec.Half, spec.StoreAddr = kvs.PartEngine, s.ready[process.Store].Addr
		spec.Device, err = laneDevice(&s.t.nodes.Server, s.t.nodes.Store)
	}
	if role != process.Server {
		spec.EngineThreads = process.EngineThreads(&s.t.pt.Config)
	}
	return &node.Configure{Server: spec}, err
}

// serverSpec is what a server and its halves have in common.
func serverSpec(pt *sweep.Point, n *testbed.Node) (*node.ServerSpec, error) {
	w, err := plan.Sized(&pt.Workload)
	return &node.ServerSpec{
		Store: pt.Store, Attach: pt.Attach,
		HalfConfig: kvs.HalfConfig{ServerConfig: kvs.ServerConfig{
			Listen: n.Listen(), Workers: pt.ServerThreads,
			Items: w.Keys, KeyBytes: w.KeyRoomBytes(), MaxKeyBytes: longestKey(&w),
			ValueBytes:    w.RoomBytes(),
			MaxValueBytes: w.MaxValueBytes(), GrowthBytes: growthBytes(&w),
			FixedSizes: w.ValueSizes != "" && w.ValueSizeBy == load.ByKey,
			Hash:       pt.Hash, Setup: pt.Setup, Device: n.VerbsDevice(),
		}},
	}, err
}

// longestKey is [kvs.ServerConfig.MaxKeyBytes] of a point.
func longestKey(w *load.Workload) int {
	if w.KeySizes == "" {
		return 0
	}
	return w.MaxKeyBytes()
}

// growthBytes is [kvs.ServerConfig.GrowthBytes] of a point.
func growthBytes(w *load.Workload) int {
	if w.ValueSizes == "" || w.ValueSizeBy == load.ByKey {
		return 0
	}
	const header = 16
	return w.GrowthBytes(w.KeyRoomBytes() + header)
}

// clientSpec returns the task of one of the clients.
func (s *storing) clientSpec(clients []*member, i int) (*node.ClientSpec, error) {
	on, server := &s.t.nodes.Clients[i], s.server()
	spec := &node.ClientSpec{
		Store: s.t.pt.Store,
		DialConfig: kvs.DialConfig{
			Addr: server.Addr, Protocol: s.t.pt.Protocol, ServerCPUs: server.Facts.CPUs,
			Device: on.VerbsDevice(),
		},
		Way:      wayTo(&s.t.nodes.Server, on, s.t.pt.Attach),
		SameHost: clients[i].sameKernel(s.t.all.first()), SharedServer: s.sharesServer(),
		Load: s.t.pt.OfOneClient(len(clients)).Load, Duration: s.t.pt.Duration, Preloaded: i > 0,
		Threads: s.t.pt.ClientThreads, FirstThread: i * s.t.pt.ClientThreads,
		AllThreads: len(clients) * s.t.pt.ClientThreads,
		KnownTrace: s.t.b.Traces[traceOf(on, s.t.pt)],
	}
	if s.t.pt.Attach != "" {
		spec.Credentials, spec.Guard = s.t.b.Credentials, s.t.b.Guard
	}
	var err error
	switch {
	case s.t.nodes.Proxy != nil:
		spec.Proxy, spec.Answers = s.ready[process.Proxy].Addr, s.t.pt.Answers
		spec.ProxyWay = wayTo(s.t.nodes.Proxy, on, "")
		spec.Device, err = laneDevice(on, s.t.nodes.Proxy)
	case stores.OverVerbs(s.t.pt.Store):
		spec.Device.Name, err = s.t.nodes.Device(on)
	}
	return spec, err
}

// traceOf names a trace on a node.
func traceOf(n *testbed.Node, pt *sweep.Point) string { return n.Name + ":" + pt.Trace }

// laneDevice is the device of a node for the lanes to another one.
func laneDevice(n, other *testbed.Node) (d kvs.Device, err error) {
	d = n.VerbsDevice()
	d.Name, err = testbed.LaneDevice(n, other)
	return d, err
}

// wayTo returns the way of a client's connections. attach is the address of a server that dpukv did
// not start.
func wayTo(server, client *testbed.Node, attach string) *node.Way {
	w := &node.Way{Client: client.Name, ClientAddr: client.Address, Server: server.Name}
	_, port, err := net.SplitHostPort(attach)
	switch {
	case attach != "" && err == nil:
		w.Ports = port
	case !server.Ports.Any():
		w.Ports = server.Ports.String()
	}
	return w
}
