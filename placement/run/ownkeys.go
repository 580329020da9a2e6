package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"dpukv/client"
	"dpukv/client/ownkeys"
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
)

// ownSets names the keys that the plan's points store.
func (p *Plan) ownSets() (sets []ownkeys.Set) {
	for i := range p.points {
		sets = ownkeys.Add(sets, ownkeys.SetOf(&p.points[i].Load))
	}
	return sets
}

// consent asks an attached server for its keys. It refuses a server that has some, unless the user
// agreed. The server's node asks, since the path of the clients is not set up yet.
func (r *runner) consent(ctx context.Context) error {
	if r.plan.sweep.Attach == "" {
		return nil
	}
	sets := r.plan.ownSets()
	done, err := r.ownKeys(ctx, sets, false)
	if err != nil {
		return fmt.Errorf("attach: look for keys at %s: %w", r.plan.sweep.Attach, err)
	}
	r.found = done.Found
	if err := r.found.Consent("attach: "+r.plan.sweep.Attach, sets, r.o.Terms); err != nil {
		return err
	}
	if !r.o.Keep {
		r.stays(fmt.Sprintf("dpukv: the sweep's keys may stay at %s: %s; to remove them, go on: %s",
			r.plan.sweep.Attach, ownkeys.Describe(sets), r.againWith(ownkeys.Terms{Yes: true})))
	}
	fmt.Fprintf(r.o.Stderr, "the sweep stores %s on %s, %s; %s\n", ownkeys.Describe(sets),
		r.plan.sweep.Attach, r.found.Says(), r.found.Expects())
	return nil
}

// stays tells what an end without a removal would leave there.
func (r *runner) stays(what string) {
	if r.o.Stays != nil {
		r.o.Stays(what)
	}
}

// guard protects the items of others on an attached server in a point; nil: there is none.
func (r *runner) guard(pt *sweep.Point) *client.Guard {
	if r.plan.sweep.Attach == "" {
		return nil
	}
	g := &client.Guard{EvictOthers: r.o.EvictOthers, Overwrite: r.found.Own > 0}
	own := ownkeys.SetOf(&pt.Load)
	for i := range r.stored {
		if r.stored[i].Same(&own) {
			g.Stored = r.stored[i].Keys
		}
	}
	return g
}

// makeWay removes the sweep's keys from an attached server before a point that would take them for
// those of others: a trace, whose GETs would find them; keys with the same names by another rule;
// and any point after a failed one.
func (r *runner) makeWay(ctx context.Context, pt *sweep.Point) error {
	own := ownkeys.SetOf(&pt.Load)
	shared := slices.ContainsFunc(r.stored, func(s ownkeys.Set) bool { return s.MayShare(&own) })
	if r.plan.sweep.Attach == "" || !pt.Replays() && !shared && !r.unsure {
		return nil
	}
	_, err := r.ownKeys(ctx, r.plan.ownSets(), true)
	if err == nil {
		r.stored, r.unsure = nil, false
	}
	return err
}

// noteStored notes which keys of a point are on an attached server, and what others lost there.
func (r *runner) noteStored(pt *sweep.Point, res *node.Result, err error) {
	switch {
	case r.plan.sweep.Attach == "":
		return
	case err != nil:
		r.unsure = true
	default:
		r.stored = ownkeys.Add(r.stored, ownkeys.SetOf(&pt.Load))
	}
	if res != nil {
		r.lost += res.Lost
	}
}

// sayLost says what others lost. Without their consent, that is an error.
func (r *runner) sayLost() error {
	if r.lost == 0 {
		return nil
	}
	lost := &client.LostError{Items: r.lost}
	if r.o.EvictOthers {
		fmt.Fprintln(r.o.Stderr, lost)
		return nil
	}
	return fmt.Errorf("attach: %s: %w", r.plan.sweep.Attach, lost)
}

// removeOwn removes the sweep's keys from an attached server, also after an interruption.
func (r *runner) removeOwn(ctx context.Context) error {
	if r.plan.sweep.Attach == "" || r.o.Keep {
		return nil
	}
	defer r.stays("")
	ctx, cancel := ownkeys.WithGrace(ctx)
	defer cancel()
	sets := r.plan.ownSets()
	done, err := r.ownKeys(ctx, sets, true)
	if err != nil {
		return fmt.Errorf("attach: the sweep's keys may be left at %s: %s: %w", r.plan.sweep.Attach,
			ownkeys.Describe(sets), err)
	}
	fmt.Fprintf(r.o.Stderr, "removed %d own keys from %s\n", done.Removed.Keys,
		r.plan.sweep.Attach)
	if fell := r.found.Fell(done.Removed); fell != "" {
		fmt.Fprintln(r.o.Stderr, fell)
	}
	return nil
}

// ownKeys has the server's node look for the keys, or remove them, in a process of its own.
func (r *runner) ownKeys(
	ctx context.Context, sets []ownkeys.Set, remove bool,
) (done *node.KeysDone, err error) {
	pt := &r.plan.points[0]
	nodes, err := r.machines.Bed.Assign(pt.Placement)
	if err != nil {
		return nil, err
	}
	agent, _, err := r.begin(ctx, &nodes.Server)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := agent.Close(); err == nil {
			err = closed
		}
	}()
	agent.Send(&node.Configure{Keys: &node.KeysSpec{
		Store: pt.Store, Sets: sets, Terms: r.o.Terms, Remove: remove,
		DialConfig: kvs.DialConfig{
			Addr: r.plan.sweep.Attach, Protocol: pt.Protocol, Credentials: r.o.Credentials,
		},
	}})
	return node.Follow[*node.KeysDone](ctx, agent, r.o.timeouts.Client, "look after own keys",
		func(*node.Progress) {})
}

// describeOwn writes what the sweep stores on an attached server, and what this machine finds
// there.
func describeOwn(p *Plan, w io.Writer) {
	fmt.Fprintf(w, "\nthe sweep stores %s on %s, ", ownkeys.Describe(p.ownSets()), p.sweep.Attach)
	found, err := lookFromHere(p)
	switch {
	case err != nil:
		fmt.Fprintf(w, "whose keys this machine cannot count: %v\n", err)
	case found.Keys > 0:
		fmt.Fprintf(w, "which has %d keys: it needs --yes\n", found.Keys)
	default:
		fmt.Fprintln(w, "which has no keys")
	}
}

// lookFromHere counts the keys of an attached server. It does not look for own keys.
func lookFromHere(p *Plan) (found ownkeys.Found, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), p.Options.timeouts.Hello)
	defer cancel()
	pt := &p.points[0]
	st, err := stores.Named(pt.Store)
	if err != nil {
		return found, err
	}
	remote, err := st.Dial(ctx, &kvs.DialConfig{
		Addr: p.sweep.Attach, Protocol: pt.Protocol, Credentials: p.Options.Credentials,
	})
	if err != nil {
		return found, err
	}
	found, err = ownkeys.Look(ctx, remote, nil, ownkeys.Terms{}, func(uint64) {})
	return found, errors.Join(err, remote.Close())
}
