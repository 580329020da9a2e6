package plan

import (
	"testing"

	"dpukv/internal/test/must"
)

// TestHalvesRefused has what contradicts halves, each refused before anything starts.
func TestHalvesRefused(t *testing.T) {
	bed := parseTestbed(t, `nodes:
  hostA: {kind: host, via: netns}
  dpuA: {kind: dpu, of: hostA, via: netns, profile: bf2}
  hostB: {kind: host, via: netns}
  dpuB: {kind: dpu, of: hostB, via: netns, profile: bf2}
client_side: [hostA, dpuA]
server_side: [hostB, dpuB]
placements:
  WHOLE: {clients: [hostA], server: hostB}
  PROXIED: {clients: [hostA], proxy: dpuA, server: hostB}
  SPLIT: {clients: [hostA], server: dpuB, store: hostB}
`)
	for _, c := range []struct{ name, text, want string }{
		{"halves", "placement: [CH-ED-SH, CH-PD-SH, CH-PD-ED-SH, CH-EH-SD]\nengine_threads: [1, 2]", ""},
		{
			"another store", "placement: CH-ED-SH\nstore: redis",
			"placement: found CH-ED-SH with redis, allowed: a store that can be split ([mica])",
		},
		{
			"a datapath", "placement: CH-ED-SH\nsubmode: sm1",
			"found CH-ED-SH in submode sm1, allowed: off-path, direct",
		},
		{
			"crew", "placement: CH-ED-SH\naccess: crew",
			"access: found crew with placement CH-ED-SH, allowed: erew",
		},
		{
			"threads", "placement: CH-ED-SH\nserver_threads: 2\nengine_threads: 3",
			"engine_threads: found 3 with server_threads: 2, allowed: a multiple of these",
		},
		{
			"an engine with fewer threads", "placement: CH-ED-SH\nserver_threads: 2\nengine_threads: 1",
			"s.yaml:3:17: engine_threads: found 1 with server_threads: 2, allowed: a multiple of these",
		},
		{
			"a whole placement", "placement: WHOLE\nanswers: write",
			"found WHOLE with engine_threads, answers or wait, allowed: a placement with halves",
		},
		{
			"threads of no engine", "placement: PROXIED\nengine_threads: 2",
			"s.yaml:2:17: engine_threads: found 2 with placement PROXIED, allowed: a placement with an engine",
		},
		{"a polling whole", "placement: [WHOLE, PROXIED]\nserver_wait: [sleep, poll]", ""},
		{"a polling engine", "placement: SPLIT\nserver_wait: poll", "s.yaml:2:14: server_wait: found poll with " +
			"placement SPLIT, allowed: a whole server; of halves, use the key wait"},
		{"a polling client with a proxy", "placement: PROXIED\nclient_wait: poll", "s.yaml:2:14: client_wait: " +
			"found poll with placement PROXIED, allowed: a whole client; of a proxy, use the key wait"},
		{
			"no server to poll", "placement: CH-ED-SH\nserver_wait: [sleep, poll]",
			"server_wait: found it with mica in placement CH-ED-SH, allowed: with [mica], where that end is not split",
		},
		{
			"no client to poll", "placement: CH-SH\nstore: redis\nserver_wait: poll",
			"server_wait: found it with redis in placement CH-SH, allowed: with [mica]",
		},
		{"a study's placement", "placement: CH-SH\nanswers: [read, write]", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.Fail(t, refusal(c.text+"\n", &bed), c.want)
		})
	}
}
