package sweep

import (
	"cmp"

	"dpukv/internal/strictyaml"
)

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
