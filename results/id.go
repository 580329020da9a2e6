package results

import (
	"fmt"

	"dpukv/internal/foreign"
)

// maxIDBytes leaves room for the histogram file's suffixes in a file name of 255 bytes.
const maxIDBytes = 200

// CheckID refuses an ID that can't name a file, or that names a file in another folder.
func CheckID(id string) error {
	if id == "" || len(id) > maxIDBytes || id[0] == '.' {
		return fmt.Errorf("point id: found %q, allowed: 1 to %d bytes, the first not a "+
			"dot",
			foreign.Clip(id, maxIDBytes), maxIDBytes)
	}
	for _, c := range []byte(id) {
		if c <= ' ' || c >= 0x7f || c == '/' {
			return fmt.Errorf("point id: found %q, allowed in a file's name: no %q", id, c)
		}
	}
	return nil
}
