package sweep

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/strictyaml"
	"dpukv/kvs"
	"dpukv/kvs/stores"
)

// notAttached is the word of a sweep that starts its servers.
const notAttached = "none"

// attachment is the address of a running server, or "none".
var attachment = strictyaml.Codec[string]{
	Parse: func(s string) (string, error) {
		if s == notAttached {
			return "", nil
		}
		host, service, err := net.SplitHostPort(s)
		port, portErr := strconv.Atoi(service)
		if err != nil || portErr != nil || host == "" || port < 1 || port > 1<<16-1 {
			return "", strictyaml.ErrNotAllowed
		}
		return s, nil
	},
	Format: func(s string) string {
		if s == "" {
			return notAttached
		}
		return s
	},
	Allowed: "HOST:PORT of a server that runs already, or none",
}

// Attachable returns the names of the stores whose servers may run already.
func Attachable() []string {
	return stores.NamesOf(func(s *kvs.Store) bool { return s.Attach != nil })
}

// CheckAttach refuses one address for several servers, or for a store whose servers must be started
// here.
func CheckAttach(s *Sweep) error {
	if s.Attach == "" {
		return nil
	}
	if allowed := Attachable(); len(s.Stores) != 1 || !slices.Contains(allowed, s.Stores[0]) {
		return fmt.Errorf("attach: found the stores %v, allowed: one of %s, which is what runs "+
			"at %s",
			s.Stores, strings.Join(allowed, " and "), s.Attach)
	}
	return nil
}
