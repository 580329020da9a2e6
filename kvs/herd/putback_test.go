package herd

import (
	"testing"

	"dpukv/kvs/internal/simulation"
)

// TestPutBack: the simulation finds each of the faults that were mended here, put back one by one.
func TestPutBack(t *testing.T) {
	edit := func(file, old, now string) []simulation.Edit {
		return []simulation.Edit{{File: file, Old: old, New: now}}
	}
	simulation.PutBack(t, "^TestSimulation$", []simulation.Fault{
		{
			Name:  "eight zero bytes are a request",
			Edits: edit("inbox.go", "if c&shapeMask|shapeChecked != s.of {", "if c&shapeMask != s.of&shapeMask {"),
			Want:  "what is no request was done",
		},
		{
			Name:  "an answer that is not taken ends the worker",
			Edits: edit("sends.go", "if s.sink == nil ||", "if why != nil || s.sink == nil ||"),
			Want:  "worker 0 ends: post",
		},
		{
			Name:  "an answer that completes badly ends the worker",
			Edits: edit("sends.go", "if wc.Status == verbs.StatusFlushed ||", "if why != nil ||"),
			Want:  "ends: a send completed with",
		},
		{
			Name:  "an answer that is not taken ends other connections, too",
			Edits: edit("join.go", "c.number = s.joined", "c.number = 1"),
			Want:  "was ended: the server says \"an answer could not be sent",
		},
		{
			Name:  "any address will do",
			Edits: edit("handshake.go", "checkNumbers(ud), checkAddress(uc))", "checkNumbers(ud))"),
			Want:  "the server makes an address handle for",
		},
		{
			Name:  "slots that are not freed end the server",
			Edits: edit("join.go", "s.mishaps.add(", "s.ended(err)\n\t\ts.mishaps.add("),
			Want:  "the server has ended: ",
		},
		{
			Name:  "any error of accept ends the listener",
			Edits: edit("../internal/admission/door.go", "if fatal(err) {", "if err != nil {"),
			Want:  "the server does not accept any more",
		},
		{
			Name:  "no limit of connections",
			Edits: edit("../internal/admission/door.go", "if d.counts.Open == d.cfg.Most {", "if d.counts.Open < 0 {"),
			Want:  "connections are open, want at most",
		},
		{
			Name:  "one protection domain for all",
			Edits: edit("join.go", "if c.pd, err = s.device.AllocPD(); err != nil {", "if c.pd = s.pd; err != nil {"),
			Want:  "slots are freed that queue pair",
		},
		{
			Name:  "a hello may take for ever",
			Edits: edit("client.go", "c.read(helloFor)", "c.read(0)"),
			Want:  "has sent no whole frame since",
		},
		{
			Name:  "a frame may take for ever",
			Edits: edit("client.go", "c.within(frameFor, ", "c.within(0, "),
			Want:  "has sent no whole frame since",
		},
		{
			Name:  "an answer may take for ever",
			Edits: edit("client.go", "c.within(writeFor, ", "c.within(0, "),
			Want:  "has sent no whole frame since",
		},
		{
			Name:  "a header is believed",
			Edits: edit("frame.go", "make([]byte, 0, min(n, pieceBytes))", "make([]byte, 0, n)"),
			Want:  "the server makes room for",
		},
	})
}
