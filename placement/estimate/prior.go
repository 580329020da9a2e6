package estimate

import (
	"slices"
	"strings"
	"time"

	"dpukv/kvs/stores"
	"dpukv/placement/emulate"
	"dpukv/placement/submode"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

// Overheads on a quiet machine of two CPUs. Measured points correct them.
const (
	localProcess  = 150 * time.Millisecond  // start and end of a process on this machine
	remoteProcess = 1500 * time.Millisecond // the same over ssh and its like; nodes start together
	setUpDatapath = 2500 * time.Millisecond // one on-path datapath undone, the next one set up
	makeMachines  = 2 * time.Second         // emulated machines, made and removed
	drawFigures   = time.Second             // at the end of a sweep
	overlap       = 400 * time.Millisecond  // before the load of a client that computes
	keyOperation  = 350 * time.Nanosecond   // a key stored or asked for
	softwareRDMA  = 8 * time.Microsecond    // the same over RDMA in software
	weakCore      = 3                       // an emulated DPU takes so many times as long
)

// maxVerified is the number of keys that a client asks for at most after the preload.
const maxVerified = 1 << 20

// Fixed returns the time of a sweep outside its points.
func Fixed(bed *testbed.Testbed) time.Duration {
	if bed.EmulatedText() != "" {
		return makeMachines + drawFigures
	}
	return drawFigures
}

// prior predicts the overhead of a point, before any was measured.
func (e *Sweep) prior(pt *sweep.Point) time.Duration {
	nodes, err := e.bed.Assign(pt.Placement)
	if err != nil {
		return 2 * localProcess // such a point fails
	}
	all := nodes.All()
	start := time.Duration(0)
	for _, n := range all {
		if n.OnThisMachine() {
			start += localProcess * weakness(n)
		}
	}
	elsewhere := func(n *testbed.Node) bool { return !n.OnThisMachine() }
	if slices.ContainsFunc(all, elsewhere) {
		start += remoteProcess
	}
	if e.changes && submode.OnPath(pt.Submode) {
		start += setUpDatapath
	}
	if pt.Compute > 0 {
		start += overlap * time.Duration(min(len(all)-1, 2)) // of the first client, and the others
	}
	return start + time.Duration(keyOperations(pt.Keys, len(all)-1))*perOperation(pt, &nodes)
}

// keyOperations counts the operations before the load. One client stores the keys. Each client asks
// for them, the first one before the others.
func keyOperations(keys, clients int) int {
	verified := min(keys, maxVerified)
	return keys + min(clients, 2)*verified
}

// perOperation is the time of one operation before the load: half is the server's work, half that
// of its slowest client.
func perOperation(pt *sweep.Point, nodes *testbed.Assignment) time.Duration {
	in := nodes.For(pt.Submode)
	all := in.All()
	took := keyOperation
	device, err := in.Device(all[0])
	if err == nil && stores.OverVerbs(pt.Store) && strings.HasPrefix(device, softwareDevice) {
		took = softwareRDMA
	}
	client := time.Duration(1)
	for _, n := range all[1:] {
		client = max(client, weakness(n))
	}
	return took * (weakness(all[0]) + client) / 2
}

// weakness is the time of a node's work as a multiple of this machine's.
func weakness(n *testbed.Node) time.Duration {
	if n.Emulated() && n.Profile != "" && n.Profile != emulate.NoProfile {
		return weakCore
	}
	return 1
}

// softwareDevice begins the names of devices that are software.
const softwareDevice = "softroce"
