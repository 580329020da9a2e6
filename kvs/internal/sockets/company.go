package sockets

// company is how much the connections of a lane keep the server busy together.
type company struct {
	workers int // of the server
	busy    int // connections of which the server has something that it has not answered
}

// Spared reports whether each of the server's workers has other connections' batches to answer, if they are evenly spread.
func (c *Conn[N]) Spared() bool {
	others := c.company.busy
	if c.busy {
		others--
	}
	return others >= c.company.workers
}

// reckon counts the connection as one that keeps the server busy, or no longer.
func (c *Conn[N]) reckon() {
	busy := len(c.Flight) > 0 && c.Flight[0].written > 0
	switch {
	case busy && !c.busy:
		c.company.busy++
	case c.busy && !busy:
		c.company.busy--
	}
	c.busy = busy
}
