package keeper

import "fmt"

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
		if err := connect(i, a, b, link, l.plan); err != nil {
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
