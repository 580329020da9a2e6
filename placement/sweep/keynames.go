package sweep

import "slices"

// formerNames holds the keys' names in older sweep files, and their names now. Run folders keep
// their sweep files, so the old names stay readable.
var formerNames = map[string]string{
	"stores": "store", "placements": "placement", "submodes": "submode", "filters": "filter",
	"get_ratios": "get_ratio", "rates": "rate",
}

// keyIndex returns the place of a key in the table, by its name or a former name; -1: no such key.
func keyIndex(name string) int {
	if now, former := formerNames[name]; former {
		name = now
	}
	return slices.IndexFunc(sweepKeys, func(k sweepKey) bool { return k.name == name })
}
