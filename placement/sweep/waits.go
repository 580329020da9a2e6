package sweep

import (
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/testbed"
)

// serverWaits are how workers of a whole server wait for requests.
var serverWaits = usualOr(kvs.WaitSleep, kvs.WaitPoll)

// clientWaitKey is the key of how clients wait, a field of the load.
const clientWaitKey = "client_wait"

// waitsOf returns which ends of a store can be asked to poll.
func waitsOf(store string) kvs.Waits {
	st, err := stores.Named(store)
	if err != nil {
		return kvs.Waits{} // the key store has no other values
	}
	return st.Waits
}

// UnusedWaitKey returns a key of how an end waits that the file has, although no configuration has
// such an end, and the stores that have; "": there is none.
func (s *Sweep) UnusedWaitKey() (key string, allowed []string) {
	server, clients := false, false
	for _, store := range s.Stores {
		waits := waitsOf(store)
		for _, placement := range s.Placements {
			split, proxied := testbed.MustSplit(placement)
			server = server || waits.Server && !split
			clients = clients || waits.Clients && !proxied
		}
	}
	switch {
	case !server && s.says("server_wait"):
		return "server_wait", stores.NamesOf(func(st *kvs.Store) bool { return st.Waits.Server })
	case !clients && s.says(clientWaitKey):
		return clientWaitKey, stores.NamesOf(func(st *kvs.Store) bool { return st.Waits.Clients })
	}
	return "", nil
}
