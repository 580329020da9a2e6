package client

import "fmt"

// Guard protects what others have on a server that runs already.
type Guard struct {
	// EvictOthers lets the load use up the server's memory.
	EvictOthers bool `json:"evict_others,omitempty"`
	// Overwrite lets the preload overwrite keys with the same names. Else one that is there ends
	// the load.
	Overwrite bool `json:"overwrite,omitempty"`
	// Stored is the number of keys that the caller has stored there before, from the first one on.
	Stored int `json:"stored,omitempty"`
}

// ForeignError ends a preload that finds a name of its keys in use.
type ForeignError struct {
	Server string
	Name   []byte
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s: found a key %q that this load has not stored, allowed: none with the "+
		"names of its keys; the load ends before it overwrites that; take names of its own: "+
		"--key-prefix, or the sweep key key_prefix", e.Server, e.Name)
}

// LostError tells of evicted items that others had stored. Most: some of them may be the
// load's own.
type LostError struct {
	Items uint64
	Most  bool
}

func (e *LostError) Error() string {
	most := ""
	if e.Most {
		most = "at most "
	}
	return fmt.Sprintf("others lost %s%d items: the server evicted them since the load began", most,
		e.Items)
}
