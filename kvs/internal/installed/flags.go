package installed

import (
	"github.com/spf13/pflag"

	"dpukv/internal/numfmt"
	"dpukv/kvs"
)

// Flags adds the flags of a program that start runs.
func Flags(
	start func(Config) (kvs.Server, error),
) func(*pflag.FlagSet) func(*kvs.ServerConfig) (kvs.Server, error) {
	return func(flags *pflag.FlagSet) func(*kvs.ServerConfig) (kvs.Server, error) {
		var memory numfmt.Size
		flags.Var(&memory, "memory", "limit of the program's memory for items, such as 256MiB; in "+
			"mode cache it then evicts (default: twice the room for --items)")
		return func(c *kvs.ServerConfig) (kvs.Server, error) {
			cfg := ConfigOf(c)
			cfg.LimitBytes = int64(memory)
			return start(cfg)
		}
	}
}
