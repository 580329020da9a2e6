package plan

import (
	"fmt"

	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/process"
	"dpukv/placement/submode"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

// checkHalves refuses halves that cannot be measured, and their keys without halves.
func (a *candidate) checkHalves() error {
	c, at := a.Config, a.sweep.Place("placement", a.Placement)
	if !a.nodes.Split() {
		if c.EngineThreads != 0 || c.Answers != "" || c.Wait != "" {
			return fmt.Errorf("%splacement: found %s with engine_threads, answers or wait, "+
				"allowed: a placement with halves", at, c.Placement)
		}
		return nil
	}
	if err := a.checkSplit(at); err != nil {
		return err
	}
	if err := a.checkEngine(); err != nil {
		return err
	}
	if err := testbed.CheckLanes(a.testbed, &a.nodes); err != nil {
		return fmt.Errorf("%slanes: %w", at, err)
	}
	return nil
}

// checkUnused refuses a key of what no configuration of the sweep has.
func (a *candidate) checkUnused() error {
	key, owner := a.sweep.UnusedKey()
	switch owner {
	case "":
		return nil
	case kvs.OfReads:
		return fmt.Errorf("%s: found it with %s, allowed: in a sweep of %s (%v)", key, a.Store,
			owner, sweep.StoresWith(owner))
	}
	return fmt.Errorf("%s: found it with %s in placement %s, allowed: with %v, where that end is "+
		"not split", key, a.Store, a.Placement, sweep.StoresWith(owner))
}

// checkWaits refuses to have halves poll as whole ends do.
func (a *candidate) checkWaits() error {
	s, c := a.sweep, a.Config
	switch {
	case c.ServerWait != "" && a.nodes.Store != nil:
		return fmt.Errorf("%sserver_wait: found %s with placement %s, allowed: a whole server; of "+
			"halves, use the key wait", s.Place("server_wait", c.ServerWait), c.ServerWait,
			c.Placement)
	case c.ClientWait != "" && a.nodes.Proxy != nil:
		return fmt.Errorf("%sclient_wait: found %s with placement %s, allowed: a whole client; of "+
			"a proxy, use the key wait", s.Place("client_wait", c.ClientWait), c.ClientWait,
			c.Placement)
	}
	return nil
}

// checkSplit refuses halves that the store, the server or the path cannot have.
func (a *candidate) checkSplit(at string) error {
	c := a.Config
	switch {
	case a.store.Halves == nil:
		return fmt.Errorf("%splacement: found %s with %s, allowed: a store that can be split (%v)",
			at, c.Placement, c.Store, stores.NamesOf(func(st *kvs.Store) bool {
				return st.Halves != nil
			}))
	case c.Attach != "":
		return fmt.Errorf("%splacement: found %s with attach, allowed: a whole server", at,
			c.Placement)
	case c.Submode != submode.OffPath && c.Submode != submode.Direct:
		return fmt.Errorf("%splacement: found %s in submode %s, allowed: %s, %s; a DPU that runs "+
			"a half is a machine of its own", at, c.Placement, c.Submode, submode.OffPath,
			submode.Direct)
	}
	return nil
}

// checkEngine refuses threads that an engine or its store half cannot have.
func (a *candidate) checkEngine() error {
	s, c, split := a.sweep, a.Config, a.nodes.Store != nil
	at := s.Place("engine_threads", fmt.Sprint(c.EngineThreads))
	switch {
	case !split && c.EngineThreads != 0:
		return fmt.Errorf("%sengine_threads: found %d with placement %s, allowed: a placement "+
			"with an engine", at, c.EngineThreads, c.Placement)
	case split && c.Access != "erew":
		return fmt.Errorf("%saccess: found %s with placement %s, allowed: erew",
			s.Place("access", c.Access), c.Access, c.Placement)
	case split && process.EngineThreads(c)%c.ServerThreads != 0:
		return fmt.Errorf("%sengine_threads: found %d with server_threads: %d, allowed: a "+
			"multiple of these", at, c.EngineThreads, c.ServerThreads)
	}
	return nil
}
