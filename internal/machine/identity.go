package machine

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// identitySalt makes the identity one of dpukv alone. So machine-id(5) asks for it: no other
// program's hash of the machine ID is the same.
const identitySalt = "f6f2b4f1c6a94d6b9f0d2a1f7a5c3e88"

// identity tells one machine from another, over boots. It hashes the machine ID, the host name and
// the processor. Clones of one image share a machine ID, so it alone does not suffice. A machine
// with another name or processor is another machine: lines that should be one are visible, repeats
// that should be two lines are not. Empty means unknown.
func identity(fs root, hostname, model string) string {
	id := fs.read("etc/machine-id")
	if id == "" && hostname == "" {
		return ""
	}
	h := hmac.New(sha256.New, []byte(id))
	for _, part := range []string{identitySalt, hostname, model} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
