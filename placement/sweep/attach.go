package sweep

import (
	"fmt"
	"net"
	"strconv"

	"dpukv/internal/strictyaml"
	"dpukv/placement/stores"
)

// notAttached is how a sweep says that its servers are started.
const notAttached = "none"

// attachment is the address of a server that runs already, or "none".
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

// CheckAttach refuses to take one server for several, or for a store whose servers are only started here.
func CheckAttach(s *Sweep) error {
	if s.Attach == "" {
		return nil
	}
	if len(s.Stores) != 1 || stores.All[s.Stores[0]].Attach == nil {
		return fmt.Errorf("attach: found the stores %v, allowed: one of memcached and redis, which is what runs at %s", s.Stores, s.Attach)
	}
	return nil
}
