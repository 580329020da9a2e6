package memcached

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"dpukv/internal/foreign"
)

// TestHostileAnswers checks that a hostile server cannot exhaust this program's memory.
func TestHostileAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		meta       bool
		unit, want string
	}{
		"counters without an end": {true, strings.Repeat("STAT a b\r\n", 1000), "allowed: at most 16777216"},
		"a line without an end":   {true, strings.Repeat("S", 4096), "allowed: at most 16777216"},
		"packets without an end": {
			false,
			"\x81\x10\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02" + strings.Repeat("\x00", 12) + "kv",
			"allowed: at most 16777216",
		},
		"a reason of kilobytes": {true, "NO" + strings.Repeat("\x1b", 10_000) + "\r\n", "(10004 bytes in all)"},
	} {
		t.Run(name, func(t *testing.T) {
			here, there := net.Pipe()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				go io.Copy(io.Discard, there)
				for unit := strings.Repeat(c.unit, 1+(1<<16)/len(c.unit)); ; {
					if _, err := io.WriteString(there, unit); err != nil {
						return
					}
				}
			}()
			budget := foreign.NewBudget(here)
			ctl := &control{Conn: here, budget: budget, lines: bufio.NewReader(budget), meta: c.meta}
			_, err := ctl.stats("")
			switch {
			case err == nil, !strings.Contains(err.Error(), c.want), len(err.Error()) > 5*foreign.MaxReason:
				t.Errorf("got %.200v, want %s", err, c.want)
			}
			here.Close()
			<-ended
			there.Close()
		})
	}
}
