package trace

import (
	"bytes"
	"strings"

	"dpukv/kvs"
)

// words are those of sources for operations, and what becomes of each. An operation whose
// answer or effect depends on the value before (incr, append, …) has no equal here.
var words = []struct {
	name string
	as   kvs.Op // 0: left out, and counted
}{
	{"get", kvs.Get},
	{"gets", kvs.Get}, // a get that asks for the item's version, too
	{"read", kvs.Get},
	{"set", kvs.Set},
	{"replace", kvs.Set}, // the server stored it, or it did not: a trace does not tell
	{"cas", kvs.Set},     // likewise
	{"put", kvs.Set},
	{"write", kvs.Set},
	{"update", kvs.Set},
	{"add", kvs.Add},
	{"delete", kvs.Delete},
	{"incr", 0},
	{"decr", 0},
	{"append", 0},
	{"prepend", 0},
}

// Mapping says in words what becomes of the operations of sources.
func Mapping() string {
	var b strings.Builder
	for _, op := range []kvs.Op{kvs.Get, kvs.Set, kvs.Add, kvs.Delete} {
		var names []string
		for _, k := range words {
			if k.as == op {
				names = append(names, k.name)
			}
		}
		b.WriteString(op.String() + ": " + strings.Join(names, ", ") + "; ")
	}
	return b.String() + "all others are left out and counted"
}

const (
	maxOpName = 20
	maxOps    = 24 // names that are counted apart
)

// opCounts counts a source's operations by their names.
type opCounts struct {
	names  []OpCount
	as     []kvs.Op
	others uint64 // of names beyond maxOps
}

// count counts an operation, and returns what it becomes: 0 if it is left out. It is false for what
// is no name.
func (o *opCounts) count(name []byte) (as kvs.Op, ok bool) {
	for i := range o.names {
		if string(name) == o.names[i].Name {
			o.names[i].Count++
			return o.as[i], true
		}
	}
	if !isOpName(name) {
		return 0, false
	}
	if lower := bytes.ToLower(name); !bytes.Equal(lower, name) {
		return o.count(lower)
	}
	if len(o.names) == maxOps {
		o.others++
		return 0, true
	}
	for _, k := range words {
		if k.name == string(name) {
			as = k.as
		}
	}
	c := OpCount{Name: string(name), Count: 1}
	if as != 0 {
		c.As = as.String()
	}
	o.names, o.as = append(o.names, c), append(o.as, as)
	return as, true
}

func isOpName(name []byte) bool {
	for _, c := range name {
		if lower := c | 0x20; lower < 'a' || lower > 'z' {
			if c != '_' && c != '-' {
				return false
			}
		}
	}
	return len(name) > 0 && len(name) <= maxOpName
}

func (o *opCounts) all() []OpCount {
	all := append([]OpCount{}, o.names...)
	if o.others > 0 {
		all = append(all, OpCount{Name: otherOps, Count: o.others})
	}
	return all
}
