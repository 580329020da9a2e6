package admission

import (
	"net"
	"syscall"
	"time"
)

// tellWithin bounds Tell where a connection has no descriptor of its own, in tests and wrappers.
const tellWithin = 10 * time.Millisecond

// Tell writes what a connection takes at once, and drops the rest. A fresh socket takes kilobytes.
func Tell(c net.Conn, what []byte) {
	if raw, ok := c.(syscall.Conn); ok {
		if rc, err := raw.SyscallConn(); err == nil {
			_ = rc.Write(func(fd uintptr) bool { // of no consequence: it is being closed
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
