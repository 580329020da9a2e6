package placement

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// ParseSweep reads a sweep file; what it does not say is as in [Default], but for the knobs of the stores: each has
// those of its own study. The name stands in errors, which
// are one line for each mistake, each with its place.
func ParseSweep(name string, data []byte) (Sweep, error) {
	s := Default()
	s.where = map[string]at{}
	s.left = leftToStores()
	f := strictFile{name: name}
	for _, e := range f.parse(data) {
		i := slices.IndexFunc(sweepKeys, func(k sweepKey) bool { return k.name == e.key })
		if i < 0 {
			f.unknown(e, keyNames(func(*sweepKey) bool { return true }))
			continue
		}
		delete(s.left, e.key)
		sweepKeys[i].read(&f, &s, e.value)
	}
	if len(f.faults) > 0 {
		return Sweep{}, f.err()
	}
	if slices.Equal(s.Stores, Default().Stores) {
		s.left = nil // Default has that store's knobs
	}
	return s, nil
}

// readAxis takes one value or a list of them.
func readAxis[T any](f *strictFile, s *Sweep, name string, n ast.Node, into *[]T, c codec[T]) {
	nodes := []ast.Node{n}
	if list, ok := n.(*ast.SequenceNode); ok {
		nodes = list.Values
		if len(nodes) == 0 {
			f.fault(f.place(n), "%s: found an empty list, allowed: %s", name, c.allowed)
		}
	}
	*into = nil
	seen := map[string]at{}
	for _, n := range nodes {
		v, where, ok := readValue(f, name, n, c)
		if !ok {
			continue
		}
		text := c.format(v)
		if first, twice := seen[text]; twice {
			f.fault(where, "%s: found %s a second time (first at %s), allowed: each value once", name, text, first)
			continue
		}
		seen[text], s.where[name+"="+text] = where, where
		*into = append(*into, v)
	}
}

func readValue[T any](f *strictFile, name string, n ast.Node, c codec[T]) (v T, where at, ok bool) {
	where = f.place(n)
	if _, isList := n.(*ast.SequenceNode); isList {
		f.fault(where, "%s: found a list, allowed: one value, %s", name, c.allowed)
		return v, where, false
	}
	text, ok := f.scalar(name, n, c.allowed, c.number)
	if !ok {
		return v, where, false
	}
	v, err := c.parse(text)
	if err != nil {
		f.fault(where, "%s: found %s, allowed: %s", name, describe(n), c.allowed)
	}
	return v, where, err == nil
}

// Marshal writes the sweep as a file that says every key, but for those left to the stores.
func (s *Sweep) Marshal() []byte {
	var b bytes.Buffer
	for i := range sweepKeys {
		k := &sweepKeys[i]
		if s.left[k.name] {
			continue // as it is in the file that it was read from
		}
		value := strings.Join(k.texts(s), ", ")
		if k.swept() {
			value = "[" + value + "]"
		}
		fmt.Fprintf(&b, "%s: %s\n", k.name, value)
	}
	return b.Bytes()
}

// differences names the keys that have other values in b than in a, with both.
func differences(a, b *Sweep) []string {
	var diff []string
	for i := range sweepKeys {
		k := &sweepKeys[i]
		if av, bv := k.texts(a), k.texts(b); !slices.Equal(av, bv) {
			diff = append(diff, fmt.Sprintf("%s is [%s] there, [%s] here", k.name, strings.Join(av, ", "), strings.Join(bv, ", ")))
		}
	}
	return diff
}
