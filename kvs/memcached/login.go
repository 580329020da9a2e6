package memcached

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"dpukv/internal/foreign"
	"dpukv/kvs"
)

// login is what a fresh connection says first to a server with an auth file (memcached -Y).
type login struct {
	user     string
	password kvs.Secret
}

// unauthenticated is the answer to any command before the login.
const unauthenticated = "CLIENT_ERROR unauthenticated"

// enter logs in, if there is a password: a SET of any key, whose value is the user and the
// password. To a server without an auth file it would be an item that everybody can read. So the
// server must ask for it first.
func (c *control) enter(l *login) error {
	if l.password.Empty() {
		return nil
	}
	answer, err := c.say("mn\r\n")
	switch {
	case err != nil:
		return err
	case answer == "MN":
		return errors.New("found a password, and a server that asks for none; leave out the " +
			"password and the user")
	case answer != unauthenticated:
		return fmt.Errorf("the server answered %s, allowed: %s; it has no auth file (memcached -Y)",
			foreign.Reason(answer), unauthenticated)
	}
	secret := l.user + " " + l.password.Reveal()
	answer, err = c.say(fmt.Sprintf("set auth 0 0 %d\r\n%s\r\n", len(secret), secret))
	switch {
	case err != nil:
		return err
	case answer != "STORED":
		return fmt.Errorf("the server refused the login (%s); check the password, and the user %s "+
			"of the URL", foreign.Reason(strings.ReplaceAll(answer, l.password.Reveal(),
			"(redacted)")), l.user)
	}
	return nil
}

// say sends a command and returns the line of its answer.
func (c *control) say(command string) (string, error) {
	if _, err := io.WriteString(c, command); err != nil {
		return "", err
	}
	line, err := foreign.ReadLine(c.lines, "a line of an answer", maxLine)
	if err != nil {
		return "", fmt.Errorf("no answer came: check that it is a memcached server, and without "+
			"TLS (memcacheds://) if the URL has none (%w)", err)
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}
