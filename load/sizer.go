package load

import "math/bits"

// sizer draws sizes from a distribution. The same word has the same size on all machines.
type sizer struct {
	classes []sizeClass
	alias   []aliasCell // nil: there is one class
	one     bool        // all have one size
	most    int
}

func newSizer(classes []sizeClass) sizer {
	s := sizer{classes: classes, most: mostOf(classes)}
	s.one = len(classes) == 1 && classes[0].least == classes[0].most
	if len(classes) > 1 {
		weights := make([]float64, len(classes))
		for i := range classes {
			weights[i] = classes[i].weight
		}
		s.alias = newAlias(weights)
	}
	return s
}

// size returns the size that a random word draws.
func (s *sizer) size(word uint64) int {
	class := &s.classes[0]
	if s.alias != nil {
		class = &s.classes[pickAlias(s.alias, word)]
		word = mix64(word + golden)
	}
	at, _ := bits.Mul64(word, uint64(class.most-class.least+1))
	return class.least + int(at)
}
