package sweep

import (
	"dpukv/kvs"
	"dpukv/kvs/stores"
)

// serverWaits are how workers of a whole server wait for requests.
var serverWaits = usualOr(kvs.WaitSleep, kvs.WaitPoll)

// waitsOf returns which ends of a store can be asked to poll.
func waitsOf(store string) kvs.Waits {
	st, err := stores.Named(store)
	if err != nil {
		return kvs.Waits{} // the key store has no other values
	}
	return st.Waits
}
