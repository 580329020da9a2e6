package probechart

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// settingOrder is the order in which labels name settings. Others follow by name.
var settingOrder = []string{
	"test", "op", "direction", "engine", "completion", "code", "pages", "chains", "batch",
	"block_bytes", "array_bytes", "bytes", "write_bytes", "cores", "threads", "connections", "rate",
	"load",
}

// settingWords writes a setting for a reader.
func settingWords(name, value string) string {
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case value == "":
		return ""
	case name == "rate" && n == 0:
		return "closed loop"
	case err == nil && sizeNouns[name] != "":
		return fmt.Sprintf(sizeNouns[name], SizeText(n))
	case err == nil && countNouns[name] != "":
		return numfmt.Count(int(n), countNouns[name])
	case wordNouns[name] != "":
		return fmt.Sprintf(wordNouns[name], value)
	}
	return strings.ReplaceAll(name, "_", " ") + " " + value
}

var (
	sizeNouns = map[string]string{
		"block_bytes": "blocks of %s", "array_bytes": "arrays of %s", "bytes": "%s",
		"write_bytes": "writes of %s",
	}
	countNouns = map[string]string{
		"chains": "chain", "cores": "core", "threads": "thread", "connections": "connection",
	}
	wordNouns = map[string]string{
		"test": "%s", "op": "%s", "direction": "%s", "engine": "engine %s", "completion": "%s",
		"code": "%s code", "pages": "%s pages", "batch": "batch %s", "rate": "%s per second",
		"load": "load %s",
	}
)

// settingsOf lists the settings of points, in the order of labels.
func settingsOf(points []*results.Point) []string {
	seen := map[string]bool{}
	for _, p := range points {
		for name := range p.Settings {
			seen[name] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), results.InOrder(settingOrder))
}

// values are the values of a setting, numbers by size and words in the order of wordOrder.
func values(points []*results.Point, setting string) []string {
	var list []string
	for _, p := range points {
		if v := p.Settings[setting]; !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	slices.SortStableFunc(list, compareValues)
	return list
}

// wordOrder is that of the study and of STREAM.
var wordOrder = slices.Concat(kernels, []string{
	"send", "read", "write", "up", "down", "huge", "thp",
})

func compareValues(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return results.InOrder(wordOrder)(a, b)
}
