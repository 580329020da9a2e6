package ports

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
)

// Range is the ports from First to Last. Its zero value is any free port.
type Range struct{ First, Last int }

const most = 1<<16 - 1

// Parse reads "7000", "7000-7100", or "0" for any free port.
func Parse(text string) (Range, error) {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	var r Range
	var errs [2]error
	r.First, errs[0] = strconv.Atoi(first)
	r.Last, errs[1] = strconv.Atoi(last)
	least := 0
	if isRange {
		least = 1
	}
	if errors.Join(errs[:]...) != nil || r.First < least || r.Last < r.First || r.Last > most {
		return Range{}, fmt.Errorf("ports: found %q, allowed: a port of 0 to %d, or FIRST-LAST",
			text, most)
	}
	return r, nil
}

// Any reports whether the kernel chooses the port.
func (r Range) Any() bool { return r == Range{} }

// Count is the number of ports; for any free port, it is all of them.
func (r Range) Count() int {
	if r.Any() {
		return most
	}
	return r.Last - r.First + 1
}

// String writes the range as [Parse] reads it.
func (r Range) String() string {
	if r.First == r.Last {
		return strconv.Itoa(r.First)
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

// Split splits a listen address into its host and its ports.
func Split(addr string) (host string, r Range, err error) {
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return "", r, fmt.Errorf("listen address: found %q, allowed: HOST:PORT or "+
			"HOST:FIRST-LAST: %w", addr, err)
	}
	if r, err = Parse(service); err != nil {
		return "", r, fmt.Errorf("listen address %s: %w", addr, err)
	}
	return host, r, nil
}

// Join is the listen address of a host and its ports.
func Join(host string, r Range) string { return net.JoinHostPort(host, r.String()) }

// Listen listens on the first free port of a listen address.
func Listen(addr string) (net.Listener, error) {
	host, r, err := Split(addr)
	if err != nil {
		return nil, err
	}
	for port := r.First; ; port++ {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil || !errors.Is(err, syscall.EADDRINUSE) || r.Count() == 1 {
			return l, err
		}
		if port == r.Last {
			return nil, fmt.Errorf("listen address %s: found all %d ports in use, allowed: a "+
				"free one; widen the range, or end what listens there (ss -tlnp): %w", addr,
				r.Count(), err)
		}
	}
}

// anyTries is how often Block asks the kernel for a port that has free ones behind it.
const anyTries = 20

// Block finds free ports in a row, of a listen address. They are free at present: another program
// may take one before they are used.
func Block(addr string, count int) (Range, error) {
	host, r, err := Split(addr)
	if err != nil {
		return Range{}, err
	}
	if r.Any() {
		for range anyTries {
			var found Range
			if found, err = blockFrom(host, 0, count); !errors.Is(err, syscall.EADDRINUSE) {
				return found, err
			}
		}
		return Range{}, fmt.Errorf("listen address %s: found no %d free ports in a row: %w", addr,
			count, err)
	}
	err = syscall.EADDRINUSE
	for first := r.First; first+count-1 <= r.Last; first++ {
		var found Range
		if found, err = blockFrom(host, first, count); !errors.Is(err, syscall.EADDRINUSE) {
			return found, err
		}
	}
	if r.Count() < count {
		return Range{}, fmt.Errorf("listen address %s: found %d ports, allowed: %d or more; widen "+
			"the range", addr, r.Count(), count)
	}
	return Range{}, fmt.Errorf("listen address %s: found no %d free ports in a row; widen the "+
		"range, or end what listens there (ss -tlnp): %w", addr, count, err)
}

// blockFrom listens on ports from the first one, and frees them. First is 0 for any.
func blockFrom(host string, first, count int) (Range, error) {
	var listening []net.Listener
	defer func() {
		for _, l := range listening {
			l.Close()
		}
	}()
	for i := range count {
		if first+i > most {
			return Range{}, syscall.EADDRINUSE
		}
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(first+i)))
		if err != nil {
			return Range{}, err
		}
		if listening = append(listening, l); first == 0 {
			first = l.Addr().(*net.TCPAddr).Port
		}
	}
	return Range{first, first + count - 1}, nil
}
