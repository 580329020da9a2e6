package redis

import (
	"net"
	"strings"
	"testing"

	"dpukv/kvs/internal/pipetest"
)

func TestHostileAnswers(t *testing.T) {
	for name, c := range map[string]struct{ unit, want string }{
		"a line without an end": {strings.Repeat("+", 4096), "in a line of an answer, allowed: at most 1048576"},
		"nested without an end": {strings.Repeat("*1\r\n", 1000), "nested deeper, allowed: at most 8"},
		"parts without an end": {
			"*1000000\r\n" + strings.Repeat(":1234567890123456789\r\n", 1_000_000),
			"in an answer, allowed: at most 4194304",
		},
		"a reason of half a megabyte": {"-ERR " + strings.Repeat("\x1b[2J", 1<<17) + "\r\n", "(524292 bytes in all)"},
	} {
		t.Run(name, func(t *testing.T) {
			pipetest.Hostile(t, func(conn net.Conn) (err error) {
				ctl := newControl(conn)
				for range 10 { // a row of answers is one each
					if _, err = ctl.say("HELLO", "3"); err != nil {
						break
					}
				}
				return err
			}, c.unit, c.want, 2)
		})
	}
}
