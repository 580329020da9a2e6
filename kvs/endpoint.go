package kvs

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	"dpukv/internal/machine"
)

// Endpoint is where a server listens, as a user names it: HOST:PORT, or a URL.
type Endpoint struct {
	Scheme  string // of the URL; "": HOST:PORT
	Network string // "tcp" or "unix"
	Addr    string // HOST:PORT, or the path of the socket
	User    string // "": the store's own
	DB      int    // number of the database, of a store that has several
}

// schemeUnix is the scheme of a socket, which has no store in its name.
const schemeUnix = "unix"

// EndpointHelp says what an endpoint looks like.
const EndpointHelp = "HOST:PORT, STORE://[USER@]HOST:PORT[/DB], with TLS STOREs://…, or " +
	"unix://[USER@]PATH[?db=DB]"

// The errors of ParseEndpoint do not quote the text, since it may contain a password.
var (
	errEndpoint = errors.New("found another form, allowed: " + EndpointHelp)
	errPassword = errors.New("found a password in the URL; remove it there, and give it with " +
		"--password-file or in the environment")
)

// ParseEndpoint parses an endpoint. A password in it is an error.
func ParseEndpoint(text string) (Endpoint, error) {
	if !strings.Contains(text, "://") {
		e := Endpoint{Network: "tcp", Addr: text}
		return e, checkHostPort(text)
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Fragment != "" {
		return Endpoint{}, errEndpoint
	}
	if _, given := u.User.Password(); given {
		return Endpoint{}, errPassword
	}
	e := Endpoint{Scheme: u.Scheme, Network: "tcp", Addr: u.Host, User: u.User.Username()}
	if u.Scheme == schemeUnix {
		return e.ofSocket(u)
	}
	if u.RawQuery != "" {
		return Endpoint{}, errEndpoint
	}
	if err := checkHostPort(u.Host); err != nil {
		return Endpoint{}, err
	}
	return e, e.setDB(strings.TrimPrefix(u.Path, "/"))
}

func (e Endpoint) ofSocket(u *url.URL) (Endpoint, error) {
	query, err := url.ParseQuery(u.RawQuery)
	db := query.Get("db")
	if query.Del("db"); err != nil || len(query) > 0 || u.Host != "" || len(u.Path) < 2 {
		return Endpoint{}, errEndpoint
	}
	e.Network, e.Addr = "unix", u.Path
	return e, e.setDB(db)
}

func (e *Endpoint) setDB(text string) error {
	if text == "" {
		return nil
	}
	db, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return errors.New("found a database that is no number, allowed: a number from 0")
	}
	e.DB = int(db)
	return nil
}

func checkHostPort(addr string) error {
	host, service, err := net.SplitHostPort(addr)
	port, portErr := strconv.Atoi(service)
	if err != nil || portErr != nil || host == "" || port < 1 || port > 1<<16-1 {
		return errEndpoint
	}
	return nil
}

// String returns the endpoint as [ParseEndpoint] accepts it. It contains no password.
func (e *Endpoint) String() string {
	if e.Scheme == "" {
		return e.Addr
	}
	u := url.URL{Scheme: e.Scheme}
	if e.User != "" {
		u.User = url.User(e.User)
	}
	switch {
	case e.Network == "unix":
		u.Path = e.Addr
		if e.DB != 0 {
			u.RawQuery = "db=" + strconv.Itoa(e.DB)
		}
	default:
		u.Host = e.Addr
		if e.DB != 0 {
			u.Path = "/" + strconv.Itoa(e.DB)
		}
	}
	return u.String()
}

// Here reports whether the endpoint is on this machine.
func (e *Endpoint) Here() bool { return e.Network == "unix" || machine.Owns(e.Addr) }

// TLS reports whether the endpoint of a store asks for TLS: its scheme is the store's name with an
// s behind it.
func (e *Endpoint) TLS(store string) bool { return e.Scheme == store+"s" }

// EndpointRules say which endpoints and credentials a store's servers have.
type EndpointRules struct {
	Scheme    string // the store's name; "": HOST:PORT alone, without credentials
	Databases bool   // a server has several, which numbers name
	// PasswordVariable names the environment variable with the password of a running server.
	PasswordVariable string
}

// FromEnvironment takes the password from the environment, unless there is one.
func (r *EndpointRules) FromEnvironment(c *Credentials) {
	if c.Password.Empty() && r.PasswordVariable != "" {
		c.Password = NewSecret(os.Getenv(r.PasswordVariable))
	}
}

// Parse parses an endpoint of the store, and refuses what its servers do not have.
func (r *EndpointRules) Parse(text string, c *Credentials) (Endpoint, error) {
	e, err := ParseEndpoint(text)
	if err == nil {
		err = r.check(&e, c)
	}
	if err == nil {
		err = c.check()
	}
	return e, err
}

func (r *EndpointRules) check(e *Endpoint, c *Credentials) error {
	own := r.Scheme
	switch {
	case own == "" && e.Scheme == "" && !c.Given():
	case own == "":
		return errors.New("found a URL or credentials, allowed: HOST:PORT alone; servers of this " +
			"store know neither")
	case e.Scheme != "" && e.Scheme != schemeUnix && e.Scheme != own && !e.TLS(own):
		return fmt.Errorf("found the scheme %s, allowed with %s: %s, %ss, %s, or HOST:PORT",
			e.Scheme, own, own, own, schemeUnix)
	case e.DB != 0 && !r.Databases:
		return fmt.Errorf("found the database %d with %s, which has only one; leave it out", e.DB,
			own)
	case !e.TLS(own) && c.TLS.Given():
		return fmt.Errorf("found options for TLS without TLS, allowed: with %ss://HOST:PORT", own)
	}
	return nil
}
