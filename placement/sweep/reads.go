package sweep

import (
	"slices"

	"dpukv/kvs"
	"dpukv/kvs/stores"
)

// neighbourhoods are the places of a key: as many as the store chooses, or others.
var neighbourhoods = wholeOr("auto", kvs.MinNeighbourhood, kvs.MaxNeighbourhood)

// inlined tells whether items hold values.
var inlined = usualOr(kvs.InlineYes, kvs.InlineNo)

// validated tells how clients check what READs bring.
var validated = usualOr(kvs.ByChecksum, kvs.Unchecked)

// ReadingStores are the stores whose clients read items.
func ReadingStores() []string {
	return stores.NamesOf(func(st *kvs.Store) bool { return st.Reads })
}

func readsItems(store string) bool { return slices.Contains(ReadingStores(), store) }
