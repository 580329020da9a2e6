package keeper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// lab is the service. It serves one call at a time.
type lab struct {
	mu     sync.Mutex
	ctx    context.Context
	plan   *Plan
	spaces map[string]*space
	stays  atomic.Bool // without an owner
	groups *groups     // nil: no quotas
	set    map[string]Set
}

// Up makes what the plan says, once. After an error, the parts made so far go when the owner goes.
func (l *lab) Up(plan *Plan, held *Held) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.plan != nil {
		return errors.New("up was called before")
	}
	l.plan = plan
	for _, step := range []func() error{l.makeGroups, l.makeSpaces, l.makeLinks, l.awaitReach} {
		// Once the owner is gone, nobody would remove what this call makes.
		if err := l.ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
	}
	*held = Held{PID: os.Getpid(), FDs: map[string]int{}, Groups: l.set}
	for name, s := range l.spaces {
		held.FDs[name] = int(s.file.Fd())
	}
	if l.groups != nil {
		held.Cgroup = l.groups.version
	}
	return nil
}

// Stay keeps the lab after its owner's end. A signal then ends it.
func (l *lab) Stay(_ struct{}, _ *struct{}) error {
	l.stays.Store(true)
	return os.Chdir("/") // the owner's folder may be unmounted
}

// Counters reads the counters of every interface.
func (l *lab) Counters(_ struct{}, all *map[string]Counters) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	*all = map[string]Counters{}
	if l.plan == nil {
		return nil
	}
	for i := range l.plan.Links {
		for _, end := range []*End{&l.plan.Links[i].A, &l.plan.Links[i].B} {
			s, err := l.space(end.Space)
			if err != nil {
				return err
			}
			if (*all)[end.Space+"/"+end.Name], err = s.counters(end.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Reach waits for a way to work. Other calls go on meanwhile.
func (l *lab) Reach(way Reach, _ *struct{}) error {
	l.mu.Lock()
	s, err := l.space(way.From)
	l.mu.Unlock()
	if err != nil {
		return err
	}
	return s.reach(l.ctx, way.To)
}

// SetLink brings an interface up or down.
func (l *lab) SetLink(order LinkState, _ *struct{}) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.space(order.Space)
	if err != nil {
		return err
	}
	return s.setLink(order.Name, order.Up)
}

// SetQuota changes the CPU time of a space with a quota.
func (l *lab) SetQuota(q Quota, set *Set) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.set[q.Space]; !ok {
		return fmt.Errorf("found no quota for %q to change", q.Space)
	}
	*set, err = l.groups.setQuota(q.Space, q.CPUs)
	return err
}

// down removes everything.
func (l *lab) down() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	inodes := map[uint64]bool{}
	for _, s := range l.spaces {
		inodes[s.inode] = true
	}
	errs := []error{endIn(inodes, l.members)}
	for _, s := range l.spaces {
		s.close()
	}
	if l.groups != nil {
		errs = append(errs, removeGroups(l.groups.dir))
	}
	return errors.Join(errs...)
}

// members returns the processes in the lab's control groups: one may not have reached its namespace
// yet.
func (l *lab) members() []int {
	if l.groups == nil {
		return nil
	}
	return members(l.groups.dir)
}
