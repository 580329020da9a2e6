package plan

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/hashbench"
	"dpukv/kvs"
	"dpukv/placement/submode"
	"dpukv/placement/sweep"
)

// checkLoad refuses values that are each valid for their keys, but contradict each other.
func (a *candidate) checkLoad() error {
	s, c, st := a.sweep, a.Config, &a.store
	if err := c.Validate(); err != nil {
		return fmt.Errorf("%s%w", s.PlaceOf(err), err)
	}
	if c.Batch > st.MaxBatch {
		return fmt.Errorf("%sbatch: found %d, allowed: at most %d, which is what %s takes",
			s.Place("batch", fmt.Sprint(c.Batch)), c.Batch, st.MaxBatch, c.Store)
	}
	if c.Protocol != "" && !slices.Contains(st.Protocols, c.Protocol) {
		return fmt.Errorf("%sprotocol: found %s with %s, allowed: %s",
			s.Place("protocol", sweep.Protocols.Format(c.Protocol)), c.Protocol, c.Store,
			strings.Join(append([]string{sweep.OwnProtocol}, st.Protocols...), ", "))
	}
	if c.Hash == kvs.NoHash && st.HashesKeys() {
		return fmt.Errorf("%shash: found %s with %s, whose server wants its clients' hashes, "+
			"allowed: %s",
			s.Place("hash", c.Hash), c.Hash, c.Store, strings.Join(hashbench.Names(), ", "))
	}
	if err := st.CheckTTL(c.TTL); err != nil {
		return fmt.Errorf("%s%w", s.Place("ttl", c.TTL.String()), err)
	}
	if err := a.checkReconnects(); err != nil || st.Check == nil {
		return err
	}
	w, err := Sized(&c.Workload)
	if err != nil {
		return nil // checkTrace tells
	}
	err = st.Check(&kvs.LoadConfig{
		KeyBytes: w.MaxKeyBytes(), MaxValueBytes: w.MaxValueBytes(),
		Batch: c.Batch, Window: c.Window,
		Access: c.Access, Protocol: c.Protocol,
	})
	if err != nil {
		return fmt.Errorf("%s%w", s.Place("store", c.Store), err)
	}
	return nil
}

// checkReconnects refuses to reopen connections where nothing reopens them, and on a datapath. The
// evidence of a datapath compares its packets with those that the ends counted, and the kernel
// forgets the last packets of a closed connection.
func (a *candidate) checkReconnects() error {
	with := a.Store
	switch {
	case a.ReconnectEvery == 0:
		return nil
	case a.store.OverVerbs():
	case a.Submode != submode.OffPath:
		with = "submode " + a.Submode
	default:
		return nil
	}
	return fmt.Errorf("%sreconnect_every: found %d with %s, allowed: 0; connections reopen over "+
		"TCP, in submode %s", a.sweep.Place("reconnect_every", fmt.Sprint(a.ReconnectEvery)),
		a.ReconnectEvery, with, submode.OffPath)
}
