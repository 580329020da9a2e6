package placement

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// notAttached is how a sweep says that its servers are started.
const notAttached = "none"

// attachment is the address of a server that runs already, or "none".
var attachment = codec[string]{
	parse: func(s string) (string, error) {
		if s == notAttached {
			return "", nil
		}
		host, service, err := net.SplitHostPort(s)
		port, portErr := strconv.Atoi(service)
		if err != nil || portErr != nil || host == "" || port < 1 || port > 1<<16-1 {
			return "", errNotAllowed
		}
		return s, nil
	},
	format: func(s string) string {
		if s == "" {
			return notAttached
		}
		return s
	},
	allowed: "HOST:PORT of a server that runs already, or none",
}

// attachTo has the sweep measure the server at addr. An empty one leaves it as it is.
func (s *Sweep) attachTo(addr string) (err error) {
	if addr == "" {
		return nil
	}
	if s.Attach, err = attachment.parse(addr); err != nil {
		return fmt.Errorf("--attach: found %s, allowed: %s", addr, attachment.allowed)
	}
	return nil
}

// says reports whether the file has a key with several values.
func (s *Sweep) says(key string) bool {
	for value := range s.where {
		if strings.HasPrefix(value, key+"=") {
			return true
		}
	}
	return false
}

// checkAttach refuses to take one server for several, or for a store whose servers are only started here.
func checkAttach(s *Sweep) error {
	if s.Attach == "" {
		return nil
	}
	if len(s.Stores) != 1 || stores[s.Stores[0]].attach == nil {
		return fmt.Errorf("attach: found the stores %v, allowed: one of memcached and redis, which is what runs at %s", s.Stores, s.Attach)
	}
	return nil
}
