package placement

import (
	"fmt"
	"strings"

	"dpukv/results"
)

// usedAsAsked fails where the ends report to have used something else than was asked of them: a
// point says what was used, so a difference must not be papered over by what was asked.
func (pt *Point) usedAsAsked(used *results.Point) error {
	var asked results.Point
	pt.asked(&asked)
	asked.Mode, asked.Access = pt.Mode, pt.Access
	if pt.takeMode {
		asked.Mode = used.Mode
	}
	var differences []string
	for _, f := range []struct {
		name        string
		asked, used any
	}{
		{"store", asked.Store, used.Store},
		{"server_threads", asked.ServerThreads, used.ServerThreads},
		{"client_threads", asked.ClientThreads, used.ClientThreads},
		{"hash", asked.Hash, used.Hash},
		{"mode", asked.Mode, used.Mode},
		{"access", asked.Access, used.Access},
		{"get_ratio", asked.GetRatio, used.GetRatio},
		{"dist", asked.Dist, used.Dist},
		{"keys", asked.Keys, used.Keys},
		{"key_bytes", asked.KeyBytes, used.KeyBytes},
		{"value_bytes", asked.ValueBytes, used.ValueBytes},
		{"batch", asked.Batch, used.Batch},
		{"window", asked.Window, used.Window},
		{"connections", asked.Connections, used.Connections},
		{"rate", asked.RateOps, used.RateOps},
		{"seed", asked.Seed, used.Seed},
		{"warmup_ns", asked.WarmupNs, used.WarmupNs},
	} {
		if f.asked != f.used {
			differences = append(differences, fmt.Sprintf("%s: asked for %v, used %v", f.name, f.asked, f.used))
		}
	}
	if differences == nil {
		return nil
	}
	return fmt.Errorf("not what was asked was measured: %s", strings.Join(differences, "; "))
}
