package installed

import (
	"fmt"

	"dpukv/kvs"
)

// The rows of installed programs in the table of stores share these.
const (
	Listen     = "127.0.0.1:0"
	ListenHelp = "IP:PORT; port 0: any free one; FIRST-LAST: a free one of these"
	// Help follows "Run the installed NAME".
	Help = `, on one address only, pinned, with memory for --items. It keeps nothing on disk. It ends
with this command: on SIGTERM or Ctrl-C, and also if this command is killed.`
)

// ConfigOf returns the configuration of a program with room for the configured items.
func ConfigOf(c *kvs.ServerConfig) Config {
	return Config{
		Listen: c.Listen, Workers: c.Workers, Mode: c.Mode,
		Items: c.Items, KeyBytes: c.KeyBytes, ValueBytes: c.ValueBytes, CPUs: c.CPUs,
		LimitBytes: c.MemoryBytes,
	}
}

// CheckAccess refuses any access mode but the program's own.
func CheckAccess(c *kvs.LoadConfig, own, why string) error {
	if c.Access == own {
		return nil
	}
	return fmt.Errorf("access: found %s, allowed: %s; %s. Leave it out to give each store its own",
		c.Access, own, why)
}
