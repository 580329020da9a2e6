package sweep

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/strictyaml"
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/neighbour"
)

var seeds = strictyaml.Codec[uint64]{
	Parse: func(s string) (uint64, error) {
		n, err := strconv.ParseUint(s, 10, 63) // JSON readers elsewhere hold 63 bits
		if err != nil {
			return 0, strictyaml.ErrNotAllowed
		}
		return n, nil
	},
	Format:  func(n uint64) string { return strconv.FormatUint(n, 10) },
	Allowed: "a whole number from 0 to 9223372036854775807",
	Number:  true,
}

// none is the word of a key that asks for nothing.
const none = "none"

// neighbours are the kinds of neighbours, or none.
var neighbours = strictyaml.Codec[string]{
	Parse: func(s string) (string, error) {
		switch {
		case s == neighbour.None:
			return "", nil
		case slices.Contains(neighbour.Kinds(), s):
			return s, nil
		}
		return "", strictyaml.ErrNotAllowed
	},
	Format:  func(s string) string { return cmp.Or(s, neighbour.None) },
	Allowed: strings.Join(append([]string{neighbour.None}, neighbour.Kinds()...), ", "),
	Words:   append([]string{neighbour.None}, neighbour.Kinds()...),
}

// OwnProtocol leaves the choice of the protocol to the store's client.
const OwnProtocol = "default"

// Protocols are the protocols of all stores.
var Protocols = strictyaml.Codec[string]{
	Parse: func(s string) (string, error) {
		if s == OwnProtocol {
			return "", nil
		}
		known := func(st kvs.Store) bool { return slices.Contains(st.Protocols, s) }
		if !slices.ContainsFunc(stores.All(), known) {
			return "", strictyaml.ErrNotAllowed
		}
		return s, nil
	},
	Format:  func(s string) string { return cmp.Or(s, OwnProtocol) },
	Allowed: allowedProtocols(),
}

func allowedProtocols() string {
	allowed := OwnProtocol
	for _, st := range stores.All() {
		if len(st.Protocols) > 0 {
			allowed += ", with " + st.Name + " " + strings.Join(st.Protocols, ", ")
		}
	}
	return allowed
}

// builds are builds of dpukv, as node.Build labels them.
var builds = strictyaml.Codec[string]{
	Parse: func(s string) (string, error) {
		version, digest, ok := strings.Cut(s, "@")
		switch {
		case s == none:
			return "", nil
		case !ok || version == "" || digest == "" || strings.ContainsAny(s, " ,=[]{}#'\""):
			return "", strictyaml.ErrNotAllowed
		}
		return s, nil
	},
	Format:  func(s string) string { return cmp.Or(s, none) },
	Allowed: none + ", or VERSION@DIGEST of two builds, the base of their comparison first",
}
