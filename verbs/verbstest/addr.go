package verbstest

import (
	"fmt"
	"os"
)

// Addr is a loopback address that no other test process uses: a software RoCE device has its
// address's port 4791 to itself, and go test runs packages side by side. There are four, 0 to 3.
func Addr(n int) string {
	pid := os.Getpid() // at most 22 bits
	return fmt.Sprintf("127.%d.%d.%d", pid>>14&255, pid>>6&255, pid&63<<2|n&3)
}
