package sweep

import (
	"slices"
	"strconv"

	"dpukv/internal/strictyaml"
	"dpukv/kvs"
	"dpukv/kvs/stores"
)

// ownPlaces has the store choose the places of a key.
const ownPlaces = "auto"

// neighbourhoods are the places of a key.
var neighbourhoods = strictyaml.Codec[int]{
	Parse: func(s string) (int, error) {
		if s == ownPlaces {
			return 0, nil
		}
		return places.Parse(s)
	},
	Format: func(n int) string {
		if n == 0 {
			return ownPlaces
		}
		return strconv.Itoa(n)
	},
	Allowed: ownPlaces + ", or " + places.Allowed,
}

var places = strictyaml.Whole(kvs.MinNeighbourhood, kvs.MaxNeighbourhood)

// inlined tells whether items hold values.
var inlined = usualOr(kvs.InlineYes, kvs.InlineNo)

// validated tells how clients check what READs bring.
var validated = usualOr(kvs.ByChecksum, kvs.Unchecked)

// ReadingStores are the stores whose clients read items.
func ReadingStores() []string {
	return stores.NamesOf(func(st *kvs.Store) bool { return st.Reads })
}

func readsItems(store string) bool { return slices.Contains(ReadingStores(), store) }
