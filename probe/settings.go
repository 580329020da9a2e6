package probe

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"dpukv/internal/field"
	"dpukv/internal/spelling"
)

// Axis is one axis of a kind.
type Axis struct {
	Name    string // as in a sweep file and in points
	Help    string
	Default []string            // values, in canonical form
	Codec   field.Codec[string] // canonical words
}

// Settings are the values of a kind's axes: "block_bytes=1024 pages=thp". They compare with ==.
type Settings string

// Setting is one value of an axis.
type Setting struct{ Name, Value string }

// NewSettings joins values. No name or value has a space or an equals sign in it.
func NewSettings(list []Setting) Settings {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = s.Name + "=" + s.Value
	}
	return Settings(strings.Join(words, " "))
}

// List returns the values in the order of the axes.
func (s Settings) List() []Setting {
	var list []Setting
	for word := range strings.FieldsSeq(string(s)) {
		name, value, _ := strings.Cut(word, "=")
		list = append(list, Setting{name, value})
	}
	return list
}

// Map returns the values by axis.
func (s Settings) Map() map[string]string {
	m := map[string]string{}
	for _, one := range s.List() {
		m[one.Name] = one.Value
	}
	return m
}

// Get returns the value of an axis; "": there is no such axis.
func (s Settings) Get(name string) string {
	for _, one := range s.List() {
		if one.Name == name {
			return one.Value
		}
	}
	return ""
}

// Int returns the value of an axis of whole numbers.
func (s Settings) Int(name string) int {
	n, err := strconv.Atoi(s.Get(name))
	if err != nil {
		panic(fmt.Sprintf("probe: the axis %s has no whole numbers: %v", name, err))
	}
	return n
}

// Complete adds the defaults of the axes that settings lack. It refuses what no sweep file has:
// these settings may come from another process.
func (s Settings) Complete(axes []Axis) (Settings, error) {
	list := make([]Setting, len(axes))
	for i := range axes {
		a := &axes[i]
		word := cmp.Or(s.Get(a.Name), a.Default[0])
		if canonical, err := a.Codec.Canonical(word); err != nil || canonical != word {
			return "", fmt.Errorf("%s: found %q, allowed: %s", a.Name, word, a.Codec.Allowed)
		}
		list[i] = Setting{a.Name, word}
	}
	return NewSettings(list), nil
}

// All combines the values of the axes, the last axis fastest. An axis without values in the map has
// its default. An axis that the values before it do not use is left out.
func (k *Kind) All(values map[string][]string) []Settings {
	all := []Settings{""}
	for i := range k.Axes {
		a := &k.Axes[i]
		own := values[a.Name]
		if own == nil {
			own = a.Default
		}
		var next []Settings
		for _, before := range all {
			if k.Uses != nil && !k.Uses(before, a.Name) {
				next = append(next, before)
				continue
			}
			for _, v := range own {
				next = append(next, NewSettings(append(before.List(), Setting{a.Name, v})))
			}
		}
		all = next
	}
	return all
}

// Axis returns the axis with a name.
func (k *Kind) Axis(name string) (*Axis, error) {
	var names []string
	for i := range k.Axes {
		if k.Axes[i].Name == name {
			return &k.Axes[i], nil
		}
		names = append(names, k.Axes[i].Name)
	}
	return nil, fmt.Errorf("%s: found the unknown axis %q%s, allowed: %s", k.Name, name,
		spelling.Hint(name, names), strings.Join(names, ", "))
}
