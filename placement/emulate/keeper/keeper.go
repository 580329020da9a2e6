package keeper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// Name is that of the service, for calls: "Lab.Up".
const Name = "Lab"

// Run serves on standard input and output until the input ends, ctx does, or the terminal is hung up. Then it takes
// away what was made.
func Run(ctx context.Context) error {
	signal.Ignore(syscall.SIGPIPE) // whoever asked may be dead: that is no reason to leave anything behind
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &lab{ctx: ctx, spaces: map[string]*space{}}
	server := rpc.NewServer()
	if err := server.RegisterName(Name, l); err != nil {
		return err
	}
	go server.ServeCodec(jsonrpc.NewServerCodec(&owner{os.Stdin, os.Stdout, cancel}))
	<-ctx.Done()
	return l.down()
}

// owner is the one who wants the lab. When its end of the pipe closes, work for it is given up.
type owner struct {
	in     io.Reader
	out    io.WriteCloser
	closed context.CancelFunc
}

func (o *owner) Read(b []byte) (int, error) {
	n, err := o.in.Read(b)
	if err != nil {
		o.closed()
	}
	return n, err
}

func (o *owner) Write(b []byte) (int, error) { return o.out.Write(b) }
func (o *owner) Close() error                { return o.out.Close() }

// lab is the service. One call at a time.
type lab struct {
	mu     sync.Mutex
	ctx    context.Context
	plan   *Plan
	spaces map[string]*space
	groups *groups // nil: no quotas
	set    map[string]Set
}

// Up makes what the plan says, once. After an error, what is there already goes when the owner does.
func (l *lab) Up(plan *Plan, held *Held) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.plan != nil {
		return errors.New("up was called before")
	}
	l.plan = plan
	for _, step := range []func() error{l.makeGroups, l.makeSpaces, l.makeLinks, l.awaitReach} {
		if err := errors.Join(l.ctx.Err(), step()); err != nil {
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

func (l *lab) makeGroups() (err error) {
	if len(l.plan.Quotas) == 0 {
		return nil
	}
	if err := Sweep(); err != nil {
		return fmt.Errorf("remove what a dead lab left behind: %w", err)
	}
	if l.groups, err = newGroups(); err != nil {
		return err
	}
	l.set = map[string]Set{}
	for _, q := range l.plan.Quotas {
		if l.set[q.Space], err = l.groups.setQuota(q.Space, q.CPUs); err != nil {
			return err
		}
	}
	return nil
}

func (l *lab) makeSpaces() (err error) {
	for _, name := range l.plan.Spaces {
		if l.spaces[name], err = newSpace(name); err != nil {
			delete(l.spaces, name)
			return err
		}
	}
	return nil
}

func (l *lab) makeLinks() error {
	for _, name := range l.plan.Bridges {
		s, err := l.space(name)
		if err == nil {
			err = s.addBridge(l.plan.MTU)
		}
		if err != nil {
			return err
		}
	}
	for i := range l.plan.Links {
		link := &l.plan.Links[i]
		a, err := l.space(link.A.Space)
		if err != nil {
			return err
		}
		b, err := l.space(link.B.Space)
		if err != nil {
			return err
		}
		if err := errors.Join(l.ctx.Err(), connect(i, a, b, link, l.plan)); err != nil {
			return err
		}
	}
	return nil
}

func (l *lab) awaitReach() error {
	for _, r := range l.plan.Reach {
		s, err := l.space(r.From)
		if err == nil {
			err = s.reach(l.ctx, r.To)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *lab) space(name string) (*space, error) {
	if s, ok := l.spaces[name]; ok {
		return s, nil
	}
	return nil, fmt.Errorf("found the space %q, which is not in the plan", name)
}

// Counters reads those of every interface.
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

// SetLink takes an interface up or down.
func (l *lab) SetLink(order LinkState, _ *struct{}) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.space(order.Space)
	if err != nil {
		return err
	}
	return s.setLink(order.Name, order.Up)
}

// SetQuota changes the CPU time of a space that has a quota.
func (l *lab) SetQuota(q Quota, set *Set) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.set[q.Space]; !ok {
		return fmt.Errorf("found no quota for %q to change", q.Space)
	}
	*set, err = l.groups.setQuota(q.Space, q.CPUs)
	return err
}

// down takes everything away.
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

// members are the processes in the lab's control groups: one may not have reached its namespace yet.
func (l *lab) members() []int {
	if l.groups == nil {
		return nil
	}
	return members(l.groups.dir)
}
