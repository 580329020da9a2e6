package sockets

import (
	"crypto/tls"
	"errors"
	"io"
	"net"

	"golang.org/x/sys/unix"
)

// secure is TLS on a connection's own descriptor. It makes the same system calls as a connection in
// the clear: crypto/tls works between two buffers here and never waits.
type secure struct {
	tls *tls.Conn
	raw *rawConn
	// ends has the batches in raw.out that are not completely written.
	ends []sealed
}

// sealed is an encrypted batch.
type sealed struct {
	plain int // its bytes before encryption
	end   int // of its bytes in raw.out
}

// rawConn is the connection below TLS.
type rawConn struct {
	net.Conn // of the handshake

	fd       int // after the handshake; before, it is -1
	in       []byte
	from, to int  // in[from:to] is read and not decrypted
	asked    bool // the system call of the present read is made
	out      []byte
	sent     int // bytes of out
}

// secureReadBytes is the room for one system call's bytes.
const secureReadBytes = 2 * minReadBytes

// errAgain tells crypto/tls that no more bytes are there at present. It can go on later.
type errAgain struct{}

func (errAgain) Error() string   { return "no more bytes at present" }
func (errAgain) Timeout() bool   { return true }
func (errAgain) Temporary() bool { return true }

var again net.Error = errAgain{} // allocated once

// Read is one system call for each read of [secure].
func (r *rawConn) Read(b []byte) (int, error) {
	if r.fd < 0 {
		return r.Conn.Read(b)
	}
	if r.from == r.to {
		if r.asked {
			return 0, again
		}
		r.asked = true
		n, err := unix.Read(r.fd, r.in)
		switch {
		case err == unix.EAGAIN || err == unix.EINTR:
			return 0, again
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		r.from, r.to = 0, n
	}
	n := copy(b, r.in[r.from:r.to])
	r.from += n
	return n, nil
}

// Write keeps the bytes for flush: a write of crypto/tls must not fail.
func (r *rawConn) Write(b []byte) (int, error) {
	if r.fd < 0 {
		return r.Conn.Write(b)
	}
	r.out = append(r.out, b...)
	return len(b), nil
}

// newSecure shakes hands.
func newSecure(p *Peer, nc net.Conn) (*secure, error) {
	raw := &rawConn{Conn: nc, fd: -1}
	secured, err := p.handshake(raw)
	return &secure{tls: secured, raw: raw, ends: make([]sealed, 0, maxPieces)}, err
}

// takeOver continues on a descriptor of the session.
func (s *secure) takeOver(fd int) { s.raw.fd, s.raw.in = fd, make([]byte, secureReadBytes) }

// read decrypts into b. All reads of one readSecure share one system call.
func (s *secure) read(b []byte) (int, error) {
	n, err := s.tls.Read(b)
	switch {
	case errors.Is(err, again):
		return n, unix.EAGAIN
	case errors.Is(err, io.EOF):
		return n, nil
	}
	return n, err
}

// maxRecord is the most bytes of a record before encryption.
const maxRecord = 1 << 14

// Cut tells that a request begins at an offset of the current batch, and ends with it. A record of
// TLS holds whole requests, and a larger request has records of its own: memcached waits for more
// bytes, although the rest of a record is there, if it stopped reading within that record.
func (c *Conn[N]) Cut(from int) {
	if c.secure != nil {
		c.Filling.cut(from)
	}
}

func (b *Batch[N]) cut(from int) {
	last := 0
	if n := len(b.cuts); n > 0 {
		last = b.cuts[n-1]
	}
	if from > last && len(b.Frame)-last > maxRecord {
		b.cuts = append(b.cuts, from)
	}
}

// seal encrypts a batch, in records that end at the cuts.
func (s *secure) seal(frame []byte, cuts []int) error {
	from := 0
	for _, to := range cuts {
		if _, err := s.tls.Write(frame[from:to]); err != nil {
			return err
		}
		from = to
	}
	if _, err := s.tls.Write(frame[from:]); err != nil {
		return err
	}
	s.ends = append(s.ends, sealed{len(frame), len(s.raw.out)})
	return nil
}

// flush is one system call. It returns the bytes before encryption of the batches whose last byte
// the kernel has taken, or EAGAIN if there are none.
func (s *secure) flush() (plain int, err error) {
	r := s.raw
	n, err := unix.Write(r.fd, r.out[r.sent:])
	if err != nil {
		return 0, err
	}
	r.sent += n
	done := 0
	for done < len(s.ends) && s.ends[done].end <= r.sent {
		plain += s.ends[done].plain
		done++
	}
	s.ends = append(s.ends[:0], s.ends[done:]...)
	if r.sent == len(r.out) {
		r.out, r.sent = r.out[:0], 0
	}
	if plain == 0 {
		return 0, unix.EAGAIN
	}
	return plain, nil
}

// readSecure decrypts what one system call brings.
func (c *Conn[N]) readSecure() (total int, err error) {
	c.secure.raw.asked = false
	for {
		c.makeRoom(c.To + total + minReadBytes/2)
		n, err := c.secure.read(c.In[c.To+total:])
		total += n
		if err != nil || n == 0 {
			if total > 0 {
				return total, nil // the next call returns the error again
			}
			return 0, err
		}
	}
}

// writeSecure encrypts batches once the previous ones are written, and writes.
func (c *Conn[N]) writeSecure() (int, error) {
	if len(c.secure.ends) == 0 {
		for _, b := range c.Flight[c.unsent:min(c.unsent+maxPieces, len(c.Flight))] {
			if err := c.secure.seal(b.Frame, b.cuts); err != nil {
				return 0, err
			}
		}
	}
	return c.secure.flush()
}
