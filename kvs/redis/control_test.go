package redis

import (
	"io"
	"net"
	"strings"
	"testing"

	"dpukv/internal/foreign"
)

// TestHostileAnswers checks that a hostile server exhausts neither the memory nor the stack.
func TestHostileAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		unit string
		want string
	}{
		"a line without an end": {strings.Repeat("+", 4096), "allowed: at most 16777216"},
		"nested without an end": {strings.Repeat("*1\r\n", 1000), "nested deeper, allowed: at most 8"},
		"parts without an end": {
			"*1000000\r\n" + strings.Repeat(":1234567890123456789\r\n", 1_000_000),
			"allowed: at most 16777216",
		},
		"a reason of megabytes": {"-ERR " + strings.Repeat("\x1b[2J", 1<<20) + "\r\n", "(4194308 bytes in all)"},
	} {
		t.Run(name, func(t *testing.T) {
			here, there := net.Pipe()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				go io.Copy(io.Discard, there)
				for {
					if _, err := io.WriteString(there, c.unit); err != nil {
						return
					}
				}
			}()
			ctl := newControl(here)
			var err error
			for range 10 { // a row of answers is one each
				if _, err = ctl.ask("HELLO", "3"); err != nil {
					break
				}
			}
			switch {
			case err == nil, !strings.Contains(err.Error(), c.want), len(err.Error()) > 2*foreign.MaxReason:
				t.Errorf("got %.200v, want %s", err, c.want)
			}
			here.Close()
			<-ended
			there.Close()
		})
	}
}
