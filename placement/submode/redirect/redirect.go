package redirect

import (
	"errors"
	"fmt"
	"net"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"dpukv/placement/submode/packetfilter"
)

// Counts are the packets that came in at an interface, by what its programs did with them.
type Counts struct {
	Programs int    `json:"programs"` // attached: one, if all is well
	Passed   uint64 `json:"passed"`   // to the other interface
	Dropped  uint64 `json:"dropped"`
	// Opcodes are requests by operation. Uncut counts trains that a sender's interface left in one
	// piece: none of their requests was counted.
	Opcodes map[string]uint64 `json:"opcodes,omitempty"`
	Uncut   uint64            `json:"uncut,omitempty"`
}

// Attach makes each of two interfaces send its incoming packets out of the other, except those that
// the filter drops.
func Attach(a, b string, f *packetfilter.Filter, r *packetfilter.Requests) error {
	if err := errors.Join(oneWay(a, b, f, r), oneWay(b, a, f, r)); err != nil {
		return errors.Join(err, Detach(a), Detach(b))
	}
	return nil
}

func oneWay(from, to string, f *packetfilter.Filter, r *packetfilter.Requests) error {
	in, err := index(from)
	if err != nil {
		return err
	}
	out, err := index(to)
	if err != nil {
		return err
	}
	program, err := load(out, f, r)
	if err != nil {
		return fmt.Errorf("redirect %s to %s: load the program: %w", from, to, err)
	}
	defer program.Close() // the interface keeps it
	err = link.RawAttachProgram(link.RawAttachProgramOptions{
		Target: in, Program: program, Attach: ebpf.AttachTCXIngress,
	})
	if err != nil {
		return fmt.Errorf("redirect %s to %s: attach the program (tcx: Linux 6.6 or later): %w",
			from, to, err)
	}
	return nil
}

func index(name string) (int, error) {
	i, err := net.InterfaceByName(name)
	if err != nil {
		return 0, fmt.Errorf("interface %s: %w", name, err)
	}
	return i.Index, nil
}

// Detach removes our programs from an interface. It is no error if there are none, or no interface.
func Detach(name string) error {
	i, err := net.InterfaceByName(name)
	if err != nil {
		return nil //nolint:nilerr // they went with it
	}
	return ours(i.Index, func(p *ebpf.Program) error {
		return link.RawDetachProgram(link.RawDetachProgramOptions{
			Target: i.Index, Program: p, Attach: ebpf.AttachTCXIngress,
		})
	})
}

// Count reads the counts of the programs on an interface now.
func Count(name string, r *packetfilter.Requests) (c Counts, err error) {
	i, err := index(name)
	if err != nil {
		return c, err
	}
	return c, ours(i, func(p *ebpf.Program) error {
		c.Programs++
		return c.add(p, r)
	})
}

// ours calls f with each of our programs on an interface.
func ours(ifindex int, f func(*ebpf.Program) error) error {
	found, err := link.QueryPrograms(link.QueryOptions{
		Target: ifindex,
		Attach: ebpf.AttachTCXIngress,
	})
	if err != nil {
		return fmt.Errorf("which programs are attached? %w", err)
	}
	for _, attached := range found.Programs {
		program, err := ebpf.NewProgramFromID(attached.ID)
		if err != nil {
			return err
		}
		info, err := program.Info()
		if err == nil && info.Name == name {
			err = f(program)
		}
		if err = errors.Join(err, program.Close()); err != nil {
			return err
		}
	}
	return nil
}

// add adds up the counts, of which each CPU has its own.
func (c *Counts) add(p *ebpf.Program, r *packetfilter.Requests) error {
	info, err := p.Info()
	if err != nil {
		return err
	}
	ids, _ := info.MapIDs()
	if len(ids) != 1 {
		return fmt.Errorf("found %d maps of the program %s, allowed: 1", len(ids), info.Name)
	}
	counts, err := ebpf.NewMapFromID(ids[0])
	if err != nil {
		return err
	}
	defer counts.Close()
	for entry := range entries(r) {
		var each []uint64
		if err := counts.Lookup(entry, &each); err != nil {
			return err
		}
		for _, n := range each {
			c.count(entry, n, r)
		}
	}
	return nil
}

func (c *Counts) count(entry uint32, n uint64, r *packetfilter.Requests) {
	switch {
	case entry == passed:
		c.Passed += n
	case entry == dropped:
		c.Dropped += n
	case entry == uncut:
		c.Uncut += n
	case n > 0:
		if c.Opcodes == nil {
			c.Opcodes = map[string]uint64{}
		}
		c.Opcodes[r.OpcodeName(uint8(entry-opcodes))] += n
	}
}
