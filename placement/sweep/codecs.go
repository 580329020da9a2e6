package sweep

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/strictyaml"
	"dpukv/kvs/memcached"
	"dpukv/kvs/redis"
)

var seeds = strictyaml.Codec[uint64]{
	Parse: func(s string) (uint64, error) {
		n, err := strconv.ParseUint(s, 10, 63) // JSON readers elsewhere hold 63 bits
		if err != nil {
			return 0, strictyaml.ErrNotAllowed
		}
		return n, nil
	},
	Format:  func(n uint64) string { return strconv.FormatUint(n, 10) },
	Allowed: "a whole number from 0 to 9223372036854775807",
	Number:  true,
}

// OwnProtocol leaves the choice to the store's client.
const OwnProtocol = "default"

// Protocols are those of all stores.
var Protocols = strictyaml.Codec[string]{
	Parse: func(s string) (string, error) {
		if s == OwnProtocol {
			return "", nil
		}
		if !slices.Contains(slices.Concat(memcached.Protocols, redis.Protocols), s) {
			return "", strictyaml.ErrNotAllowed
		}
		return s, nil
	},
	Format:  func(s string) string { return cmp.Or(s, OwnProtocol) },
	Allowed: OwnProtocol + ", with memcached " + strings.Join(memcached.Protocols, ", ") + ", with redis " + strings.Join(redis.Protocols, ", "),
}
