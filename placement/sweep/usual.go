package sweep

import (
	"cmp"
	"strconv"

	"dpukv/internal/strictyaml"
)

// none is the word of a key that asks for nothing.
const none = "none"

// usualOr has the usual word, which is "" in a [Config], and another one.
func usualOr(usual, other string) strictyaml.Codec[string] {
	return strictyaml.Codec[string]{
		Parse: func(s string) (string, error) {
			switch s {
			case usual:
				return "", nil
			case other:
				return s, nil
			}
			return "", strictyaml.ErrNotAllowed
		},
		Format:  func(s string) string { return cmp.Or(s, usual) },
		Allowed: usual + " or " + other,
	}
}

// wholeOr has whole numbers from lo to hi, and a word that is 0 in a [Config].
func wholeOr(word string, lo, hi int) strictyaml.Codec[int] {
	numbers := strictyaml.Whole(lo, hi)
	return strictyaml.Codec[int]{
		Parse: func(s string) (int, error) {
			if s == word {
				return 0, nil
			}
			return numbers.Parse(s)
		},
		Format: func(n int) string {
			if n == 0 {
				return word
			}
			return strconv.Itoa(n)
		},
		Allowed: word + ", or " + numbers.Allowed,
	}
}
