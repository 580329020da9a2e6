//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"errors"
	"io"
	"slices"
	"sync"
)

// children are the open objects made from a device, in the order of creation.
type children struct {
	mu   sync.Mutex
	made map[io.Closer]int
	next int
}

func (c *children) add(x io.Closer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		c.made = make(map[io.Closer]int)
	}
	c.made[x] = c.next
	c.next++
}

func (c *children) remove(x io.Closer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.made, x)
}

// closeAll closes the youngest first, because an object depends only on older ones.
func (c *children) closeAll() (err error) {
	for _, x := range c.youngestFirst() {
		err = errors.Join(err, x.Close())
	}
	return err
}

func (c *children) youngestFirst() []io.Closer {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]io.Closer, 0, len(c.made))
	for x := range c.made {
		all = append(all, x)
	}
	slices.SortFunc(all, func(a, b io.Closer) int { return c.made[b] - c.made[a] })
	return all
}
