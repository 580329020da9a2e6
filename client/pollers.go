package client

import (
	"dpukv/internal/machine"
	"dpukv/kvs"
	"dpukv/results"
)

// crowdedPollers warns of polling threads of the client that have no CPU each. A thread then waits
// while another polls.
func crowdedPollers(p *results.Point) results.Warning {
	if p.ClientWait != kvs.WaitPoll {
		return results.Warning{}
	}
	if why := machine.CrowdedPollers(p.ClientThreads, p.ClientCPUs); why != "" {
		return results.SharedCPUs.Warn("the client's threads share CPUs, and poll: %s. A thread "+
			"waits while another polls: use fewer, give them more CPUs, or let them sleep", why)
	}
	return results.Warning{}
}

// whoPolls tells what polling means for ends that share CPUs; "": neither polls by choice.
func whoPolls(p *results.Point) string {
	if p.ClientWait != kvs.WaitPoll && p.ServerWait != kvs.WaitPoll {
		return ""
	}
	return ", and one of them polls: the other waits meanwhile. Give each its own, or let both " +
		"sleep"
}
