package sweep

import (
	"cmp"

	"dpukv/internal/numfmt"
	"dpukv/internal/strictyaml"
)

// roomForAll is the word of a server that has room for all keys.
const roomForAll = "auto"

const bytesPerMiB = 1 << 20

// memory is the room of a server for its items: whole MiB, as memcached has it.
var memory = strictyaml.Codec[int64]{
	Parse: func(s string) (int64, error) {
		var size numfmt.Size
		if s == roomForAll {
			return 0, nil
		}
		if err := size.Set(s); err != nil || size%bytesPerMiB != 0 {
			return 0, strictyaml.ErrNotAllowed
		}
		return int64(size), nil
	},
	Format:  func(n int64) string { return cmp.Or(numfmt.Size(n).String(), roomForAll) },
	Allowed: "a size in whole MiB, such as 64MiB or 4GiB, or auto",
}
