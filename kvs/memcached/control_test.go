package memcached

import (
	"bufio"
	"net"
	"strings"
	"testing"

	"dpukv/internal/foreign"
	"dpukv/kvs/internal/pipetest"
)

func TestHostileAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		meta       bool
		unit, want string
	}{
		"counters without an end": {true, strings.Repeat("STAT a b\r\n", 1000), "an answer, allowed: at most 4194304"},
		"a line without an end":   {true, strings.Repeat("S", 4096), "a line of an answer, allowed: at most 1048576"},
		"packets without an end": {
			false,
			"\x81\x10\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02" + strings.Repeat("\x00", 12) + "kv",
			"an answer, allowed: at most 4194304",
		},
		"a reason of kilobytes": {true, "NO" + strings.Repeat("\x1b", 10_000) + "\r\n", "(10004 bytes in all)"},
	} {
		t.Run(name, func(t *testing.T) {
			pipetest.Hostile(t, func(conn net.Conn) error {
				budget := foreign.NewBudget(conn)
				ctl := &control{Conn: conn, budget: budget, lines: bufio.NewReader(budget), meta: c.meta}
				_, err := ctl.stats("")
				return err
			}, c.unit, c.want, 5)
		})
	}
}
