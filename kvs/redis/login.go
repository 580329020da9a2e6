package redis

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dpukv/kvs"
)

// login is what a fresh connection says first.
type login struct {
	user     string // "": the user default
	password kvs.Secret
	db       int
	variable string // of the environment, for the password
}

// enter logs in, asks for RESP3, and selects the database. A server that does not know HELLO stays
// at RESP2.
func (c *control) enter(l *login) (protocol string, err error) {
	if l.password.Empty() && l.user != "" {
		return "", errors.New("found a user without a password; give it with " +
			"--password-file or in " + l.variable)
	}
	c.secret = l.password.Reveal()
	if protocol, err = c.hello(l); err != nil {
		return "", explain(err, l)
	}
	if l.db == 0 {
		return protocol, nil
	}
	if _, err = c.say("SELECT", strconv.Itoa(l.db)); err != nil {
		return "", fmt.Errorf("database %d: %w", l.db, explain(err, l))
	}
	return protocol, nil
}

// hello asks for RESP3 with the password, if there is one.
func (c *control) hello(l *login) (protocol string, err error) {
	words := []string{"HELLO", "3"}
	if !l.password.Empty() {
		words = append(words, "AUTH", cmp.Or(l.user, "default"), c.secret)
	}
	var refused replyError
	switch _, err = c.say(words...); {
	case err == nil:
		return resp3, nil
	case !errors.As(err, &refused) || !refused.any("ERR", "NOPROTO"):
		return "", err
	case l.password.Empty():
		return resp2, nil
	}
	return resp2, c.auth(l)
}

// auth sends the password to a server that does not know HELLO, or knows no password. Without a
// user, servers before Redis 6 understand it too.
func (c *control) auth(l *login) error {
	words := []string{"AUTH", c.secret}
	if l.user != "" {
		words = []string{"AUTH", l.user, c.secret}
	}
	_, err := c.say(words...)
	return err
}

// any reports whether an error reply begins with one of the codes.
func (e replyError) any(codes ...string) bool {
	code, _, _ := strings.Cut(string(e), " ")
	return slices.Contains(codes, code)
}

// explain adds to an error reply what to do.
func explain(err error, l *login) error {
	var refused replyError
	if !errors.As(err, &refused) {
		return err
	}
	what := ""
	switch text := string(refused); {
	case refused.any("NOAUTH"):
		what = "give the password with --password-file or in " + l.variable
	case refused.any("WRONGPASS") || strings.Contains(text, "invalid password"):
		what = "check the password, and the user " + cmp.Or(l.user, "default") + " of the URL"
	case strings.Contains(text, "without any password configured"):
		what = "leave out the password: the server has none"
	case strings.Contains(text, "DB index is out of range"):
		what = "allowed: a number below the server's setting databases"
	case refused.any("NOPERM"):
		what = "grant the ACL user +@read +@write +info +hello +select +cluster|nodes and " +
			"+config|get"
	default:
		return err
	}
	return fmt.Errorf("%w; %s", err, what)
}
