package sweep

import (
	"cmp"
	"slices"
)

// formerNames holds the keys' names in older sweep files, and their names now. Run folders keep
// their sweep files, so the old names stay readable.
var formerNames = map[string]string{
	"stores": "store", "placements": "placement", "submodes": "submode", "filters": "filter",
	"get_ratios": "get_ratio", "rates": "rate",
}

// keyIndex returns the place of a key in the table, by its name or a former name; -1: no such key.
func keyIndex(name string) int {
	name = nameNow(name)
	return slices.IndexFunc(sweepKeys, func(k sweepKey) bool { return k.name == name })
}

// nameNow returns the name of a key that may have a former name.
func nameNow(name string) string { return cmp.Or(formerNames[name], name) }
