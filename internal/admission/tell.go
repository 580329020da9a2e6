package admission

import (
	"net"
	"syscall"
	"time"
)

// tellWithin bounds the time of Tell where a connection has no descriptor of its own, as in tests
// and wrappers.
const tellWithin = 10 * time.Millisecond

// Tell writes the bytes that a connection takes at once, and drops the rest. A fresh socket takes
// kilobytes.
func Tell(c net.Conn, what []byte) {
	if raw, ok := c.(syscall.Conn); ok {
		if rc, err := raw.SyscallConn(); err == nil {
			_ = rc.Write(func(fd uintptr) bool { // no harm: it is being closed
				_, _ = syscall.Write(int(fd), what)
				return true // never wait
			})
			return
		}
	}
	if c.SetWriteDeadline(time.Now().Add(tellWithin)) == nil {
		_, _ = c.Write(what) // as above
	}
}
