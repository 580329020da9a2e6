package sweep

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"dpukv/internal/field"
	"dpukv/internal/strictyaml"
)

// Parse reads a sweep file. A key that the file lacks has its value in [Default]; a store's own key
// has its value in the store's study. Errors begin with the name. They are one line for each
// mistake, each with its place.
func Parse(name string, data []byte) (Sweep, error) { return ParseWith(name, data, nil) }

// ParseWith reads a sweep file of which some keys have other values. Errors about those begin with
// their flag.
func ParseWith(name string, data []byte, set Settings) (Sweep, error) {
	s := Default()
	s.where = map[string]strictyaml.Position{}
	s.left = openKeys()
	file, flag := strictyaml.File{Name: name}, strictyaml.File{Name: setFlag, Flag: true}
	s.read(&file, data)
	s.read(&flag, set.text())
	if err := errors.Join(file.Err(), flag.Err()); err != nil {
		return Sweep{}, err
	}
	if slices.Equal(s.Axes["store"], Default().Axes["store"]) {
		s.left = nil // Default has that store's knobs
	}
	return s, nil
}

// read takes the values of a file's keys.
func (s *Sweep) read(f *strictyaml.File, data []byte) {
	spelt := map[string]string{} // the names in the file, by the keys' names
	for _, e := range f.Parse(data) {
		i := keyIndex(e.Key)
		if i < 0 {
			f.Unknown(e, keyNames(func(*sweepKey) bool { return true }))
			continue
		}
		name := sweepKeys[i].name
		if other, twice := spelt[name]; twice {
			f.Fault(e.At, "found %s beside %s, allowed: one of the two; both mean %s", e.Key, other,
				name)
			continue
		}
		spelt[name] = e.Key
		delete(s.left, name)
		maps.DeleteFunc(s.where, func(value string, _ strictyaml.Position) bool {
			return strings.HasPrefix(value, name+"=")
		})
		sweepKeys[i].read(f, s, e.Value)
	}
}

// items returns the items of a list, or a single value as the only one.
func items(n ast.Node) []ast.Node {
	if list, ok := n.(*ast.SequenceNode); ok {
		return list.Values
	}
	return []ast.Node{n}
}

// readAxis reads one value or a list of values.
func readAxis(
	f *strictyaml.File, s *Sweep, name string, n ast.Node, c field.Codec[string],
) (values []string) {
	nodes := items(n)
	if len(nodes) == 0 {
		f.Fault(f.Place(n), "%s: found an empty list, allowed: %s", name, c.Allowed)
	}
	seen := map[string]strictyaml.Position{}
	for _, n := range nodes {
		text, where, ok := strictyaml.ReadValue(f, name, n, c)
		if !ok {
			continue
		}
		if first, twice := seen[text]; twice {
			f.Fault(where, "%s: found %s a second time (first at %s), allowed: each value once",
				name, text, first)
			continue
		}
		seen[text], s.where[name+"="+text] = where, where
		values = append(values, text)
	}
	return values
}

// Differences names the keys with other values in b than in a, with both values.
func Differences(a, b *Sweep) []string {
	var diff []string
	for i := range sweepKeys {
		k := &sweepKeys[i]
		if av, bv := k.texts(a), k.texts(b); !slices.Equal(av, bv) {
			diff = append(diff, fmt.Sprintf("%s is [%s] there, [%s] here", k.name,
				strings.Join(av, ", "), strings.Join(bv, ", ")))
		}
	}
	return diff
}
