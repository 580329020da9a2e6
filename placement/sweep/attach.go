package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/field"
	"dpukv/kvs"
	"dpukv/kvs/stores"
)

// attachment is the endpoint of a running server, or "none".
var attachment = field.Or(none, field.Codec[string]{
	Parse: func(s string) (string, error) {
		_, err := kvs.ParseEndpoint(s)
		switch {
		case err == nil:
			return s, nil
		case strings.Contains(s, "://") || strings.Contains(s, "@"):
			return "", field.Unquoted{Reason: err}
		}
		return "", field.ErrNotAllowed
	},
	Format: func(s string) string { return s },
}).As("HOST:PORT or the URL of a server that runs already, or none")

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
	has := s.Values("store")
	if allowed := Attachable(); len(has) != 1 || !slices.Contains(allowed, has[0]) {
		return fmt.Errorf("attach: found the stores %v, allowed: one of %s, which is what runs "+
			"at %s",
			has, strings.Join(allowed, " and "), s.Attach)
	}
	st, err := stores.Named(has[0])
	if err != nil {
		return err
	}
	st.Endpoints.FromEnvironment(c)
	if _, err := st.Endpoints.Parse(s.Attach, c); err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	return nil
}
