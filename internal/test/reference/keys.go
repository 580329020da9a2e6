package reference

import (
	"strings"

	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

// maxCell is the longest cell for allowed values; a longer one becomes a paragraph.
const maxCell = 160

// SweepKeys is the page of the keys of sweep files.
func SweepKeys() string {
	p := newPage("Keys of a sweep file")
	p.paragraph("A sweep file is a YAML mapping of these keys. All keys are optional. An axis " +
		"takes one value or a list, and a sweep measures all combinations of its axes.")
	p.paragraph("A key that the file does not name has its default. The default of some keys " +
		"depends on the store.")
	t := keyTable{p: p}
	for _, axis := range []bool{true, false} {
		heading := "Keys with one value"
		if axis {
			heading = "Axes"
		}
		var rows [][]string
		for _, k := range sweep.Keys() {
			if k.Axis == axis {
				rows = append(rows, t.row(k.Name, k.Help, k.Allowed, plain(k.Default), k.Example))
			}
		}
		t.write(heading, rows)
	}
	t.writeLong()
	return p.text()
}

// TestbedKeys is the page of the keys of testbed files.
func TestbedKeys() string {
	p := newPage("Keys of a testbed file")
	p.paragraph("A testbed file is a YAML mapping. It names the machines, and the machines that " +
		"each side of a placement may use. `dpukv testbed init` prints a file to start from.")
	t := keyTable{p: p}
	for _, section := range testbed.Keys() {
		var rows [][]string
		for _, k := range section.Keys {
			rows = append(rows, t.row(k.Name, k.Help, k.Allowed, plain(k.Default), k.Example))
		}
		t.write(section.Of, rows)
	}
	t.writeLong()
	return p.text()
}

// keyTable writes tables of keys, and keeps the allowed values that are too long for a cell.
type keyTable struct {
	p    *page
	long [][2]string // the name of a key, and its allowed values
}

func (t *keyTable) row(name, help, allowed, preset, example string) []string {
	allowed = plain(allowed)
	if len(allowed) > maxCell {
		t.long = append(t.long, [2]string{name, allowed})
		allowed = "[see below](#" + anchor(valuesOf(name)) + ")"
	}
	return []string{inline(name), plain(help), allowed, preset, inline(name + ": " + example)}
}

func (t *keyTable) write(heading string, rows [][]string) {
	t.p.heading(2, heading)
	t.p.table([]string{"key", "meaning", "allowed", "default", "example"}, rows)
}

func (t *keyTable) writeLong() {
	for _, l := range t.long {
		t.p.heading(2, valuesOf(l[0]))
		t.p.paragraph(l[1] + ".")
	}
}

func valuesOf(name string) string { return "Values of " + name }

// anchor is the fragment of a heading, as GitHub makes it.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ToLower(heading), " ", "-")
}
