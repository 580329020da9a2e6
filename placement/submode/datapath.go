package submode

import (
	"context"
	"regexp"
	"slices"

	"dpukv/placement/submode/packetfilter"
)

var (
	interfaceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$`)
	digits        = regexp.MustCompile(`^[0-9]+$`)
)

// datapath is one way to forward between two ports.
type datapath struct {
	name     string
	target   string
	submodes []string
	// is says what forwards; substitute what it stands in for, and is "" where it is the thing itself.
	is, substitute string
	onlyAsked      bool // not chosen unless it is asked for

	has    func(*site) []Step // whether the node has what it needs: these change nothing
	steps  func(*site) []Step
	verify func(*site) []Step
	// count adds to the evidence what the datapath itself counted.
	count func(context.Context, *site, Node, *Evidence) error
	// pidFiles, in the folder or with a path, have the PIDs of the datapath's processes; inKernel: these only tell the kernel, or
	// the card, what to do.
	pidFiles []string
	inKernel bool
	filters  int // how it can do a filter's work: noWords, byOpenFlow, …
}

// datapaths in the order of preference.
var datapaths []*datapath

func init() {
	datapaths = slices.Concat(plain(), linuxOVS(), linuxTestpmd(), linuxRedirects(), blueField())
}

func candidates(target, submode string) (list []*datapath) {
	for _, d := range datapaths {
		if d.target == target && slices.Contains(d.submodes, submode) {
			list = append(list, d)
		}
	}
	return list
}

// Datapaths are the names of those that a target has for a submode, in the order of preference.
func Datapaths(target, submode string) (names []string) {
	for _, d := range candidates(target, submode) {
		names = append(names, d.name)
	}
	return names
}

func lookup(target, submode, name string) *datapath {
	for _, d := range candidates(target, submode) {
		if d.name == name {
			return d
		}
	}
	return nil
}

// site is a datapath with what its commands need to know.
type site struct {
	cfg      Config
	datapath *datapath
	dir      string
}

func newSite(cfg *Config, d *datapath, dir string) *site { return &site{*cfg, d, dir} }

func (s *site) has() []Step { return steps(s, s.datapath.has) }
func (s *site) steps() []Step {
	return slices.Concat(s.common(), steps(s, s.datapath.steps), s.filterSteps())
}
func (s *site) verifies() []Step { return steps(s, s.datapath.verify) }

func steps(s *site, list func(*site) []Step) []Step {
	if list == nil {
		return nil
	}
	return list(s)
}

func (s *site) file(name string) string { return s.dir + "/" + name }

func (s *site) ports() []string { return []string{s.cfg.Ports.Wire, s.cfg.Ports.Host} }

// other is the port that packets leave by.
func (s *site) other(port string) string {
	if port == s.cfg.Ports.Wire {
		return s.cfg.Ports.Host
	}
	return s.cfg.Ports.Wire
}

// ByDefault are those that are tried where none is asked for, in their order, and that can do a filter's work.
func ByDefault(target, submode string, work packetfilter.Filter) (names []string) {
	for _, d := range candidates(target, submode) {
		if !d.onlyAsked && d.refuses(&work) == nil {
			names = append(names, d.name)
		}
	}
	return names
}
