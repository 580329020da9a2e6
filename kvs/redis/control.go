package redis

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"dpukv/internal/foreign"
	"dpukv/kvs/internal/sockets"
)

const timeout = 5 * time.Second

// The protocols.
const (
	resp2 = "resp2"
	resp3 = "resp3"
)

// control is the connection for settings and counters.
type control struct {
	net.Conn
	budget *foreign.Budget
	lines  *bufio.Reader
	secret string // what no error may quote; "": nothing
}

func dialControl(ctx context.Context, p *sockets.Peer) (*control, error) {
	c, err := p.Dial(ctx, timeout)
	if err != nil {
		return nil, err
	}
	return newControl(c), nil
}

func newControl(c net.Conn) *control {
	budget := foreign.NewBudget(c)
	return &control{Conn: c, budget: budget, lines: bufio.NewReader(budget)}
}

// replyError is an error reply of the server.
type replyError string

func (e replyError) Error() string { return "the server says: " + foreign.Reason(string(e)) }

// say sends one command and returns the texts of its answer: one, or those of an array or map.
func (c *control) say(words ...string) ([]string, error) {
	if err := c.SetDeadline(time.Now().Add(timeout)); err != nil {
		return nil, err
	}
	c.budget.Ask()
	var b []byte
	b = fmt.Appendf(b, "*%d\r\n", len(words))
	for _, w := range words {
		b = appendString(b, []byte(w))
	}
	if _, err := c.Write(b); err != nil {
		return nil, err
	}
	return c.answer(0)
}

// maxDepth is the maximum nesting of an answer. A setting is a map of strings.
const maxDepth = 8

// answer reads one answer of any type, flattened.
func (c *control) answer(depth int) ([]string, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("found an answer nested deeper, allowed: at most %d", maxDepth)
	}
	read, err := foreign.ReadLine(c.lines, "a line of an answer", maxControlBytes)
	if err != nil {
		return nil, fmt.Errorf("no answer came: check that it is a Redis server, and without "+
			"TLS (rediss://) if the URL has none (%w)", err)
	}
	line := c.redact(strings.TrimRight(string(read), "\r\n"))
	if line == "" {
		return nil, errors.New("the answer is empty: check that it is a Redis server")
	}
	switch kind, rest := line[0], line[1:]; kind {
	case '+', ':', ',', '#', '(', '_':
		return []string{rest}, nil
	case '-':
		return nil, replyError(rest)
	case '$', '=':
		return c.text(rest)
	case '*', '~', '%':
		return c.aggregate(kind, rest, depth)
	}
	return nil, fmt.Errorf("answer: found %.60q: check that it is a Redis server", line)
}

const maxControlBytes = 1 << 20

func (c *control) text(length string) ([]string, error) {
	n, err := strconv.Atoi(length)
	if err != nil || n > maxControlBytes {
		return nil, fmt.Errorf("answer: found %.20q bytes", length)
	}
	if n < 0 {
		return []string{""}, nil
	}
	text := make([]byte, n+2)
	_, err = io.ReadFull(c.lines, text)
	return []string{strings.TrimPrefix(string(text[:n]), "txt:")}, err
}

func (c *control) aggregate(kind byte, length string, depth int) ([]string, error) {
	n, err := strconv.Atoi(length)
	if err != nil || n > maxControlBytes {
		return nil, fmt.Errorf("answer: found %.20q parts", length)
	}
	if kind == '%' {
		n *= 2
	}
	var all []string
	for range n {
		part, err := c.answer(depth + 1)
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	return all, nil
}

// redact removes the password from an answer: servers quote commands that they do not know.
func (c *control) redact(line string) string {
	if c.secret == "" {
		return line
	}
	return strings.ReplaceAll(line, c.secret, "(redacted)")
}

// info asks for a section of counters. The title of each section that the answer has, such as
// "# Keyspace", is a field without a value.
func (c *control) info(section string) (map[string]string, error) {
	text, err := c.say("INFO", section)
	if err != nil {
		return nil, err
	}
	fields := map[string]string{}
	for line := range strings.Lines(strings.Join(text, "")) {
		line = strings.TrimSpace(line)
		if name, value, ok := strings.Cut(line, ":"); ok {
			fields[name] = value
		} else if strings.HasPrefix(line, "#") {
			fields[line] = ""
		}
	}
	return fields, nil
}

// setting asks for one of the server's settings. It returns "" if there is none of that name.
func (c *control) setting(name string) (string, error) {
	pair, err := c.say("CONFIG", "GET", name)
	if err != nil || len(pair) < 2 {
		return "", err
	}
	return pair[1], nil
}
