package memcached

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"dpukv/internal/foreign"
	"dpukv/kvs/internal/sockets"
)

const timeout = 5 * time.Second

// maxLine is far beyond a line of counters.
const maxLine = 1 << 20

// control is the connection for counters.
type control struct {
	net.Conn
	budget *foreign.Budget
	lines  *bufio.Reader
	meta   bool
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

// nothings is the number of no-op commands: 24 bytes, the length of a header that a server of the
// binary protocol waits for.
const nothings = 6

// knowsMeta sends no-ops of the meta protocol. A server without it answers differently, or ends the
// connection.
func (c *control) knowsMeta() (bool, error) {
	if _, err := io.WriteString(c, strings.Repeat("mn\r\n", nothings)); err != nil {
		return false, err
	}
	for range nothings {
		line, err := c.lines.ReadSlice('\n')
		if ne, ok := err.(net.Error); ok && ne.Timeout() {
			return false, fmt.Errorf("no answer came within %v: check that it is a memcached "+
				"server", timeout)
		}
		if strings.TrimRight(string(line), "\r\n") == unauthenticated {
			return false, errors.New("the server requires a password; give it with " +
				"--password-file or in " + passwordVariable + ", and the user in the URL: " +
				"memcached://USER@HOST:PORT")
		}
		if string(line) != "MN\r\n" {
			return false, nil
		}
	}
	return true, nil
}

// stats asks for a group of counters, "" for the general one.
func (c *control) stats(group string) (map[string]string, error) {
	if err := c.SetDeadline(time.Now().Add(timeout)); err != nil {
		return nil, err
	}
	c.budget.Ask()
	if c.meta {
		return c.textStats(group)
	}
	return c.binaryStats(group)
}

func (c *control) textStats(group string) (map[string]string, error) {
	if _, err := io.WriteString(c, strings.TrimSpace("stats "+group)+"\r\n"); err != nil {
		return nil, err
	}
	stats := map[string]string{}
	for {
		line, err := foreign.ReadLine(c.lines, "a line of an answer", maxLine)
		if err != nil {
			return nil, err
		}
		fields := strings.SplitN(strings.TrimSpace(string(line)), " ", 3)
		switch {
		case fields[0] == "END":
			return stats, nil
		case fields[0] == "STAT" && len(fields) == 3:
			stats[fields[1]] = fields[2]
		case fields[0] == "STAT" && len(fields) == 2:
			stats[fields[1]] = ""
		default:
			return nil, fmt.Errorf("counters: the server answered %q", foreign.Reason(line))
		}
	}
}

func (c *control) binaryStats(group string) (map[string]string, error) {
	request := append(appendPacket(nil, opStat, 0, len(group), 0), group...)
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	stats := map[string]string{}
	for {
		var head [packetHeader]byte
		if _, err := io.ReadFull(c.lines, head[:]); err != nil {
			return nil, fmt.Errorf("the server speaks neither the meta nor the binary protocol: "+
				"check that it is a memcached server, and without TLS (memcacheds://) if the URL "+
				"has none (%w)", err)
		}
		p, bytes, err := readPacket(head[:], opStat)
		if err != nil {
			return nil, err
		}
		body := make([]byte, bytes-packetHeader)
		if _, err := io.ReadFull(c.lines, body); err != nil {
			return nil, err
		}
		if p.status != statusOK {
			return nil, fmt.Errorf("counters: the server answered %s", foreign.Reason(body))
		}
		if p.key == 0 {
			return stats, nil
		}
		stats[string(body[p.extras:p.extras+p.key])] = string(body[p.extras+p.key:])
	}
}
