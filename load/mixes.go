package load

import (
	"cmp"
	"slices"
	"strings"

	"dpukv/internal/field"
)

// mixes are loads that others have described. Each sets its fields, which keys names by sweep key.
// It leaves out what its description leaves open.
var mixes = []struct {
	name, keys string
	set        func(*Load)
}{
	{"etc", "get_ratio key_bytes value_bytes value_size_by", func(l *Load) {
		l.GetRatio, l.ValueSizeBy = 0.968, ByKey
		l.KeyBytes, l.KeySizes, _ = SizesOfKeys.Parse(etc)
		l.ValueBytes, l.ValueSizes, _ = SizesOfValues.Parse(etc)
	}},
	{"ycsb-a", ofYCSB, ycsb(0.5, Zipf(0.99))},
	{"ycsb-b", ofYCSB, ycsb(0.95, Zipf(0.99))},
	{"ycsb-c", ofYCSB, ycsb(1, Zipf(0.99))},
	{"ycsb-d", ofYCSB, ycsb(0.95, "latest:0.99")},
	{"ycsb-f", ofYCSB + " set_after", func(l *Load) { // a half of its transactions also write
		ycsb(2.0/3, Zipf(0.99))(l)
		l.SetAfter = SetAfterGet
	}},
}

const ofYCSB = "get_ratio dist key_bytes value_bytes"

// ycsb has items of YCSB's default size: keys of "user" and some 19 digits, ten fields of 100
// bytes.
func ycsb(getRatio float64, dist Dist) func(*Load) {
	return func(l *Load) {
		l.GetRatio, l.Dist = getRatio, dist
		l.KeyBytes, l.KeySizes, l.ValueBytes, l.ValueSizes = 23, "", 1000, ""
	}
}

// MixAllowed names the mixes, and says why another of YCSB is not among them.
const MixAllowed = "etc, ycsb-a, ycsb-b, ycsb-c, ycsb-d, ycsb-f, or none; not ycsb-e, which " +
	"scans: no store here has scans"

// Decides reports whether the load's mix, or its trace, says the value of the field with a sweep
// key.
func (w *Workload) Decides(key string) bool {
	if w.Replays() {
		return w.TraceDecides(key)
	}
	for i := range mixes {
		if mixes[i].name == w.Mix {
			return slices.Contains(strings.Fields(mixes[i].keys), key)
		}
	}
	return false
}

// mix completes the row of Workload.Mix. A mix sets its fields, too: the row comes before theirs.
func mix(f Field) Field {
	f.Allowed = MixAllowed
	f.Get = func(l *Load) any { return l.Mix }
	f.Copy = func(to, from *Load) { to.Mix = from.Mix }
	f.Format = func(l *Load) string { return cmp.Or(l.Mix, none) }
	f.Parse = func(l *Load, text string) error {
		if text == none {
			l.Mix = ""
			return nil
		}
		for i := range mixes {
			if mixes[i].name == text {
				l.Mix = text
				mixes[i].set(l)
				return nil
			}
		}
		return field.ErrNotAllowed
	}
	return f
}
