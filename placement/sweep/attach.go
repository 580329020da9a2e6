package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/strictyaml"
	"dpukv/kvs"
	"dpukv/kvs/stores"
)

// attachment is the endpoint of a running server, or "none".
var attachment = strictyaml.Codec[string]{
	Parse: func(s string) (string, error) {
		if s == none {
			return "", nil
		}
		_, err := kvs.ParseEndpoint(s)
		switch {
		case err == nil:
			return s, nil
		case strings.Contains(s, "://") || strings.Contains(s, "@"):
			return "", strictyaml.Unquoted{Reason: err}
		}
		return "", strictyaml.ErrNotAllowed
	},
	Format:  func(s string) string { return cmp.Or(s, none) },
	Allowed: "HOST:PORT or the URL of a server that runs already, or none",
}

// Attachable returns the names of the stores whose servers may run already.
func Attachable() []string {
	return stores.NamesOf(func(s *kvs.Store) bool { return s.Attach != nil })
}

// CheckAttach refuses one address for several servers, or for a store whose servers must be started
// here. It takes the password from the environment, unless there is one.
func CheckAttach(s *Sweep, c *kvs.Credentials) error {
	if s.Attach == "" {
		if c.Given() {
			return errors.New("found a password or options for TLS, and no server that runs " +
				"already, allowed: with attach")
		}
		return nil
	}
	if allowed := Attachable(); len(s.Stores) != 1 || !slices.Contains(allowed, s.Stores[0]) {
		return fmt.Errorf("attach: found the stores %v, allowed: one of %s, which is what runs "+
			"at %s",
			s.Stores, strings.Join(allowed, " and "), s.Attach)
	}
	st, err := stores.Named(s.Stores[0])
	if err != nil {
		return err
	}
	st.Endpoints.FromEnvironment(c)
	if _, err := st.Endpoints.Parse(s.Attach, c); err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	return nil
}
