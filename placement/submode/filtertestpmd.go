package submode

import (
	"encoding/base64"
	"fmt"
	"strings"
)

const filterObject = "filter.o"

// testpmdFilterSteps give testpmd an eBPF program to run on each packet that comes in.
func (s *site) testpmdFilterSteps() []Step {
	object, _ := s.cfg.Filter.Object() // checkFilter has made it once
	var load strings.Builder
	for port := range s.ports() {
		fmt.Fprintf(&load, "bpf-load rx %d 0 J %s\n", port, s.file(filterObject))
	}
	return []Step{
		{
			Says: "the filter's eBPF program: " + s.cfg.Filter.String(),
			Run:  sh(`printf %s "$2" | base64 -d >"$1"`, s.file(filterObject), base64.StdEncoding.EncodeToString(object)),
		},
		{Says: "run on what comes in, compiled (J)", Run: sh(`printf %s "$2" >"$1/in"`, s.dir, load.String())},
	}
}

// verifyTestpmdFilter wants a compiled program on each port.
func (s *site) verifyTestpmdFilter() []Step {
	if s.cfg.Filter.None() {
		return nil
	}
	return []Step{{
		Says: "it runs the filter's program on both ports, compiled", Within: startPatience,
		Run: sh(`grep -c 'successfully creates .*jit={.func=0x[1-9a-f]' "$1/testpmd.log"`, s.dir), Want: is("2"),
		Else: "see its log in " + s.dir + ": DPDK's library for eBPF with libelf and a compiler for this CPU is needed",
	}}
}
