package storehalf

import (
	"dpukv/kvs"
)

// With returns MICA with its store half, and with the flags of all its parts.
func With(s kvs.Store) kvs.Store {
	halves := *s.Halves
	halves.StartStore = Start
	s.Halves = &halves
	s.Command.Flags = addFlags
	return s
}
