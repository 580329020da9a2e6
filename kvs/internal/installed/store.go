package installed

import (
	"fmt"

	"dpukv/kvs"
	"dpukv/kvs/internal/pipeline"
)

// help follows "Run the installed NAME".
const help = `, on one address only, pinned, with memory for --items. It keeps nothing on disk. It ends
with this command: on SIGTERM or Ctrl-C, and also if this command is killed.`

// Row adds to a row of the table of stores what those of all installed programs share. Its defaults
// are the load of the study's MICA (ICS '25, §4), for comparison with it.
func (k *Kind) Row(s kvs.Store, access string) kvs.Store {
	s.Study = kvs.StudyDefaults{
		KeyBytes: 8, ValueBytes: 8, Batch: 64, Hash: kvs.NoHash, Access: access,
	}
	s.MaxBatch = pipeline.MaxBatch
	s.Waits = kvs.Waits{Clients: true} // the program's threads wait in its own way
	s.Start = func(c *kvs.ServerConfig) (kvs.Server, error) { return Start(c, k) }
	s.Dial = k.Dial
	s.Attach = func(c *kvs.DialConfig) (kvs.Server, error) { return Attach(c, k) }
	s.Program = k.Find
	s.Command.Short = "Run the installed " + k.Program
	s.Command.Long = s.Command.Short + help
	s.Command.Example = "  dpukv serve " + s.Name + " --server-threads 1 --cpus 0"
	s.Command.Listen = "127.0.0.1:0"
	s.Command.ListenHelp = "IP:PORT; port 0: any free one; FIRST-LAST: a free one of these"
	return s
}

// CheckAccess refuses any access mode but the program's own.
func CheckAccess(c *kvs.LoadConfig, own, why string) error {
	if c.Access == own {
		return nil
	}
	return fmt.Errorf("access: found %s, allowed: %s; %s. Leave it out to give each store its own",
		c.Access, own, why)
}
