package node

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"dpukv/kvs"
	"dpukv/verbs"
)

// maxAddrBytes is more than a host's name has, with a port or a path.
const maxAddrBytes = 1 << 10

// Check refuses what no server says. The facts go into points and error messages, and the address
// to the clients.
func (r *Ready) Check() error {
	return cmp.Or(checkAddr(r.Addr), r.Facts.CheckPart())
}

// Check refuses what no server of a probe says.
func (r *ProbeReady) Check() error {
	texts := slices.AppendSeq(slices.Collect(maps.Keys(r.Facts)), maps.Values(r.Facts))
	return cmp.Or(checkAddr(r.Addr), kvs.CheckTexts(texts))
}

// maxPointBytes leaves room in a line of points.jsonl for what the orchestrator adds.
const maxPointBytes = 512 << 10

// Check refuses a point that is too long for a run folder.
func (r *Result) Check() error { return checkBytes("point", &r.Point) }

// Check refuses what is too long for a run folder.
func (r *ProbeResult) Check() error { return checkBytes("outcome", &r.Outcome) }

// Check refuses facts that are too long for a run folder.
func (h *Hello) Check() error { return checkBytes("hello", h) }

func checkBytes(what string, v any) error {
	text, err := json.Marshal(v)
	if err == nil && len(text) > maxPointBytes {
		err = fmt.Errorf("sent %d bytes as its %s, allowed: at most %d", len(text), what,
			maxPointBytes)
	}
	return err
}

func checkAddr(addr string) error {
	if len(addr) > maxAddrBytes || verbs.Printable(addr) != addr {
		return fmt.Errorf("ready: found an address of %d bytes, %.40q, allowed: at most %d, "+
			"printable", len(addr), addr, maxAddrBytes)
	}
	return nil
}
