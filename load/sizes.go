package load

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/kvs"
)

// Sizes is a distribution of the sizes of keys or of values, as [SizesOf.Parse] returns it:
// "32-1024" for equally likely sizes, or "32:90+100-200:10" for sizes and ranges with weights. It
// is empty if all have one size, and "etc" for those of Facebook's ETC.
type Sizes string

// SizesOf says which sizes keys have, or values.
type SizesOf struct {
	what        string // "key"
	least, most int
	example     [2]string // of a range, and of weights
	etc         func() []sizeClass
}

// Keys and values have these sizes.
var (
	SizesOfKeys = SizesOf{
		what: "key", least: 1, most: kvs.MaxKeyBytes, example: [2]string{"16-40", "16:90+40:10"},
		etc: func() []sizeClass { return etcKeys() },
	}
	SizesOfValues = SizesOf{
		what: "value", least: 0, most: kvs.MaxValueBytes,
		example: [2]string{"32-1024", "32:90+1024:10"},
		etc:     func() []sizeClass { return etcValues() },
	}
)

// Allowed says which sizes there are.
func (of *SizesOf) Allowed() string {
	return fmt.Sprintf("a whole number from %d to %d, a range such as %s, up to %d of both with "+
		"weights such as %s, %s for Facebook's ETC, or %sPATH", of.least, of.most, of.example[0],
		maxSizeClasses, of.example[1], etc, SizesFile)
}

// SizesFile begins a value of a sweep file or flag that names a file of sizes.
const SizesFile = "file:"

// MaxSizesFile bounds a file of sizes, in bytes. Comments take most of such a file.
const MaxSizesFile = 1 << 20

// maxSizeClasses bounds the text, which each point has.
const maxSizeClasses = 256

// These are the limits of weights. Sums of weights lose nothing that matters, and texts are short.
const (
	minWeight = 1e-6
	maxWeight = 1e12
)

// sizeClass is a range of sizes that are equally likely.
type sizeClass struct {
	least, most int
	weight      float64
}

// Parse reads sizes. It returns the mean size, rounded, and the distribution, which is empty for a
// single size. A comma may stand for the plus.
func (of *SizesOf) Parse(text string) (mean int, sizes Sizes, err error) {
	classes, ok := of.classes(text)
	if !ok {
		return 0, "", fmt.Errorf("%s sizes: found %.40q, allowed: %s", of.what, text, of.Allowed())
	}
	if only := classes[0]; len(classes) == 1 && only.least == only.most {
		return only.least, "", nil
	}
	mean = int(math.Round(meanOf(classes)))
	if text == etc {
		return mean, etc, nil
	}
	words := make([]string, len(classes))
	for i, c := range classes {
		words[i] = c.sizes()
		if len(classes) > 1 {
			words[i] += ":" + numfmt.Plain(c.weight)
		}
	}
	return mean, Sizes(strings.Join(words, "+")), nil
}

// ParseFile reads a file of sizes: in each line a size or a range, and its weight. Blanks, a tab or
// a comma stand between the two. A # begins a comment.
func (of *SizesOf) ParseFile(name string, data []byte) (mean int, sizes Sizes, err error) {
	var words []string
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line, _, _ = strings.Cut(line, "#")
		fields := strings.FieldsFunc(line, func(r rune) bool {
			return strings.ContainsRune(" \t\r\n,", r)
		})
		if len(fields) == 0 {
			continue
		}
		word := strings.Join(fields, ":")
		if _, _, err := of.Parse(word); err != nil || len(fields) != 2 {
			return 0, "", fmt.Errorf("%s:%d: found %.40q, allowed: SIZE WEIGHT, or LEAST-MOST "+
				"WEIGHT, with sizes from %d to %d", name, number, strings.TrimSpace(line),
				of.least, of.most)
		}
		words = append(words, word)
	}
	if classes := joinClasses(words); len(classes) == 0 || len(classes) > maxSizeClasses {
		return 0, "", fmt.Errorf("%s: found %d different sizes, allowed: 1 to %d; join neighbours "+
			"into ranges", name, len(classes), maxSizeClasses)
	}
	return of.Parse(strings.Join(words, "+"))
}

// classes returns the classes in the order of their sizes, each once.
func (of *SizesOf) classes(text string) (classes []sizeClass, ok bool) {
	if text == etc {
		return of.etc(), true
	}
	words := strings.Split(strings.ReplaceAll(text, ",", "+"), "+")
	for _, word := range words {
		class, ok := parseClass(word)
		if !ok || class.weight == 0 && len(words) > 1 || class.least < of.least ||
			class.most > of.most {
			return nil, false
		}
	}
	classes = joinClasses(words)
	return classes, len(classes) <= maxSizeClasses
}

// classesOf returns the classes of a distribution, or the one of a single size.
func (of *SizesOf) classesOf(sizes Sizes, one int) []sizeClass {
	if classes, ok := of.classes(string(sizes)); ok && sizes != "" {
		return classes
	}
	return []sizeClass{{least: one, most: one}}
}

// joinClasses adds the weights of equal sizes.
func joinClasses(words []string) (classes []sizeClass) {
	for _, word := range words {
		class, _ := parseClass(word)
		classes = append(classes, class)
	}
	slices.SortStableFunc(classes, compareSizes)
	joined := classes[:0]
	for _, class := range classes {
		if n := len(joined); n > 0 && compareSizes(joined[n-1], class) == 0 {
			joined[n-1].weight += class.weight
			continue
		}
		joined = append(joined, class)
	}
	return joined
}

func compareSizes(a, b sizeClass) int {
	return cmp.Or(cmp.Compare(a.least, b.least), cmp.Compare(a.most, b.most))
}

// parseClass reads "32", "32-64", "32:90" or "32-64:90". A missing weight is 0.
func parseClass(word string) (c sizeClass, ok bool) {
	sizes, weight, weighted := strings.Cut(word, ":")
	least, most, isRange := strings.Cut(sizes, "-")
	if !isRange {
		most = least
	}
	var oks [2]bool
	c.least, oks[0] = parseSize(least)
	c.most, oks[1] = parseSize(most)
	if weighted {
		var err error
		c.weight, err = strconv.ParseFloat(weight, 64)
		// The comparison is written so that it refuses NaN too.
		if err != nil || !(c.weight >= minWeight && c.weight <= maxWeight) {
			return c, false
		}
	}
	return c, oks == [2]bool{true, true} && c.least <= c.most
}

func parseSize(text string) (size int, ok bool) {
	size, err := strconv.Atoi(text)
	return size, err == nil && size >= 0
}

// sizes is the class without its weight.
func (c *sizeClass) sizes() string {
	if c.least == c.most {
		return strconv.Itoa(c.least)
	}
	return strconv.Itoa(c.least) + "-" + strconv.Itoa(c.most)
}

// moments returns the mean size of the class and the mean of the squared size.
func (c *sizeClass) moments() (mean, square float64) {
	n := float64(c.most - c.least + 1)
	mean = float64(c.least+c.most) / 2
	return mean, float64(mean*mean) + (float64(n*n)-1)/12
}

func weightOf(c *sizeClass) float64 { return cmp.Or(c.weight, 1) }

// meanOf returns the mean size. Conversions of products keep compilers from fusing them with the
// sums: all machines have the same result.
func meanOf(classes []sizeClass) float64 { mean, _ := momentsOf(classes); return mean }

func momentsOf(classes []sizeClass) (mean, square float64) {
	sum := 0.0
	for i := range classes {
		m, s := classes[i].moments()
		w := weightOf(&classes[i])
		mean, square, sum = mean+float64(w*m), square+float64(w*s), sum+w
	}
	return mean / sum, square / sum
}

// String describes the sizes in at most some forty characters. A long list is told by its range,
// its number of sizes and a digest.
func (s Sizes) String() string {
	if len(s) <= maxSizesShown {
		return string(s)
	}
	classes, _ := SizesOfValues.classes(string(s)) // those of keys are among them
	most := mostOf(classes)
	digest := mix64(golden)
	for _, b := range []byte(s) {
		digest = mix64(digest ^ uint64(b))
	}
	return fmt.Sprintf("%d-%d in %d weights %08x", classes[0].least, most, len(classes),
		uint32(digest))
}

const maxSizesShown = 40

// Text returns the sizes, or the only one, in the words of a sweep file.
func (s Sizes) Text(one int) string { return cmp.Or(string(s), strconv.Itoa(one)) }

func mostOf(classes []sizeClass) (most int) {
	for i := range classes {
		most = max(most, classes[i].most)
	}
	return most
}

func (w *Workload) keyClasses() []sizeClass {
	return SizesOfKeys.classesOf(w.KeySizes, w.KeyBytes)
}

func (w *Workload) valueClasses() []sizeClass {
	return SizesOfValues.classesOf(w.ValueSizes, w.ValueBytes)
}

// MinKeyBytes returns the size of the shortest key that the workload may have.
func (w *Workload) MinKeyBytes() int { return w.keyClasses()[0].least }

// MaxKeyBytes returns the size of the longest key that the workload may have.
func (w *Workload) MaxKeyBytes() int { return mostOf(w.keyClasses()) }

// MaxValueBytes returns the size of the largest value that the workload may store.
func (w *Workload) MaxValueBytes() int { return mostOf(w.valueClasses()) }

// RoomBytes returns the room for each value, so that all keys together have enough of it: the mean
// size and six standard deviations of the mean, at most the largest size.
func (w *Workload) RoomBytes() int { return roomOf(w.valueClasses(), w.Keys) }

// KeyRoomBytes returns the room for each key, as RoomBytes does for values.
func (w *Workload) KeyRoomBytes() int { return roomOf(w.keyClasses(), w.Keys) }

func roomOf(classes []sizeClass, items int) int {
	mean, square := momentsOf(classes)
	deviation := math.Sqrt(max(square-mean*mean, 0) / float64(max(items, 1)))
	return min(int(math.Ceil(mean+6*deviation)), mostOf(classes))
}

// itemGranule is the unit in which stores round the room of an item.
const itemGranule = 8

// GrowthBytes returns the bytes that a log takes in for one key, if an item moves to its end
// whenever a larger value comes, and keeps its room otherwise. That is the expected sum of the
// sizes that exceed all before, overhead bytes of each item included, after any number of SETs. A
// size exceeds all before if it comes before any larger one. That happens with the probability of
// the size over that of it and all larger ones.
func (w *Workload) GrowthBytes(overhead int) int {
	var weights [kvs.MaxValueBytes/itemGranule + 2]float64
	for _, c := range w.valueClasses() {
		share := max(c.weight, minWeight) / float64(c.most-c.least+1)
		for size := c.least; size <= c.most; size++ {
			weights[(size+itemGranule-1)/itemGranule] += share
		}
	}
	sum, larger := 0.0, 0.0
	for i := len(weights) - 1; i >= 0; i-- {
		if weights[i] == 0 {
			continue
		}
		larger += weights[i]
		sum += weights[i] / larger * float64(i*itemGranule+overhead)
	}
	return int(math.Ceil(sum))
}
