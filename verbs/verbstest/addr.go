package verbstest

import (
	"fmt"
	"os"
)

// Addr returns a loopback address that no other test process uses. A software RoCE device needs
// port 4791 of its address for itself, and go test runs packages side by side. There are four, 0 to
// 3.
func Addr(n int) string {
	pid := os.Getpid() // at most 22 bits
	return fmt.Sprintf("127.%d.%d.%d", pid>>14&255, pid>>6&255, pid&63<<2|n&3)
}
