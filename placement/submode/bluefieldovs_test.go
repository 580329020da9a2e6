package submode

func init() {
	for _, d := range []*datapath{
		blueFieldKernel, blueFieldDPDK, blueFieldKernelOffload, blueFieldDPDKOffload,
	} {
		right, wrong := "type=non-offloaded", "type=offloaded"
		if d.forwarder.(cardSwitch).offload {
			right, wrong = wrong, right
		}
		cardCounters[d] = []counters{
			{"right", cardFlows(right, "1000"), cardFlows(right, "21000"), ""},
			{"not counted", cardFlows(right, "1000"), cardFlows(right, "1000"), notTaken},
			{"the other way, too", cardFlows(right, "1000"), bothCardFlows(right, wrong), elsewhere},
			{"the other way", cardFlows(wrong, "1000"), cardFlows(wrong, "21000"), notTaken},
			{"the other way, beside", cardFlows(wrong, "1000"), cardFlows(wrong, "21000"), elsewhere},
		}
	}
}

// cardFlows returns answers in which only flows of one type have forwarded packets.
func cardFlows(flowType, packets string) [][2]string {
	return [][2]string{{flowType, "ufid:6f1c2d3e-0001-0002-0003-000000000001, in_port(p0), packets:" +
		packets + ", bytes:1, used:0.1s, dp:tc, actions:pf0hpf\n"}}
}

func bothCardFlows(right, wrong string) [][2]string {
	return append(cardFlows(right, "21000"), cardFlows(wrong, "21000")...)
}
