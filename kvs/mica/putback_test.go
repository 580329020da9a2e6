package mica

import (
	"testing"

	"dpukv/kvs/internal/simulation"
)

// TestPutBack shows that the simulation sees each fault that a client could once hurt others with.
func TestPutBack(t *testing.T) {
	simulation.PutBack(t, "^TestSimulation$", []simulation.Fault{
		{
			Name: "asks are taken without end",
			Edits: []simulation.Edit{{
				File: "serve.go", Old: "case p.round != 0:", New: "case false:",
			}},
			Want: "connections ask",
		},
		{
			Name: "answers to asks go past the backlog",
			Edits: []simulation.Edit{{
				File: "worker.go", Old: "p.round > w.latest.round || p.blocked():", New: "p.round > w.latest.round:",
			}},
			Want: "bytes are held",
		},
		{
			Name: "gatherings follow one another at once",
			Edits: []simulation.Edit{{
				File: "gather.go", Old: "early && !g.atOnce", New: "early && false",
			}},
			Want: "after the last",
		},
		{
			Name: "a hello may be as large as any frame",
			Edits: []simulation.Edit{{
				File: "serve.go", Old: "(h.kind != kindHello || h.bytes != helloBytes)", New: "h.kind != kindHello",
			}},
			Want: "before its hello",
		},
		{
			Name:  "a hello has no end of time",
			Edits: []simulation.Edit{{File: "peer.go", Old: "\tp.owe(owesHello)\n", New: ""}},
			Want:  "owes its hello",
		},
		{
			Name:  "a frame has no end of time",
			Edits: []simulation.Edit{{File: "peer.go", Old: "\t\tp.owe(owesFrame)\n", New: ""}},
			Want:  "owes the end of its frame",
		},
		{
			Name:  "reading has no end of time",
			Edits: []simulation.Edit{{File: "peer.go", Old: "\tp.owe(owesReading)\n", New: ""}},
			Want:  "owes reading",
		},
		{
			Name: "the acceptor ends where no descriptor is left",
			Edits: []simulation.Edit{{
				File: "../internal/admission/door.go",
				Old:  "if err != nil && lacksDescriptors(err) && d.drop() {",
				New:  "if lacksDescriptors(err) {\n\t\treturn err\n\t}\n\tif false {",
			}},
			Want: "the door of worker",
		},
		{
			Name: "connections are not limited",
			Edits: []simulation.Edit{{
				File: "budget.go", Old: "if b.open.Add(1) <= b.connections {", New: "if b.open.Add(1) > 0 {",
			}},
			Want: "connections are open",
		},
		{
			Name:  "buffers are not limited",
			Edits: []simulation.Edit{{File: "budget.go", Old: "if left < n {", New: "if false {"}},
			Want:  "bytes are held, of",
		},
		{
			Name: "a turn has no end",
			Edits: []simulation.Edit{{
				File: "peer.go", Old: "&& answered+len(p.w.out) <= int(which) {", New: "&& answered >= 0 {",
			}},
			Want: "a long turn goes on",
		},
		{
			Name: "long turns of many follow one another",
			Edits: []simulation.Edit{{
				File: "peer.go", Old: "case p.w.takesLong():", New: "case p.w.takesLong() || true:",
			}},
			Want: "long turn",
		},
		{
			Name: "who does not read is answered on",
			Edits: []simulation.Edit{{
				File: "peer.go", Old: "len(rest) >= headerBytes && !p.blocked() &&", New: "len(rest) >= headerBytes &&",
			}},
			Want: "bytes are held",
		},
		{
			Name: "gnet's pool is left with large rings",
			Edits: []simulation.Edit{{
				File: "peer.go", Old: "if len(w.out) <= ringBytes {", New: "if len(w.out) > 0 {",
			}},
			Want: "gnet's ring is made to hold",
		},
		{
			Name:  "a loop is rung after its end",
			Edits: []simulation.Edit{{File: "mailbox.go", Old: "\tm.shut = true\n", New: ""}},
			Want:  "a loop that has ended is rung",
		},
	})
}
