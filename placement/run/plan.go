package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dpukv/client/ownkeys"
	"dpukv/internal/cpu"
	"dpukv/internal/foreign"
	"dpukv/internal/infile"
	"dpukv/internal/machine"
	"dpukv/internal/provenance"
	"dpukv/internal/strictyaml"
	"dpukv/kvs"
	"dpukv/placement/machines"
	"dpukv/placement/node"
	"dpukv/placement/plan"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
	"dpukv/results/runfolder"
	"dpukv/results/threshold"
)

// Options are the settings of a sweep run.
type Options struct {
	SweepFile   string // "": the built-in sweep, or the sweep in the run folder
	TestbedFile string // "": this machine, or the testbed in the run folder
	Quick       bool   // the built-in quick sweep; not together with SweepFile
	Only        string // "key=value,…": selects some of the sweep's points
	Set         string // "key=value,…": replaces values of the sweep's keys
	Dir         string // the run folder to begin or to continue; "": a new one below runs/
	Attach      string // endpoint of a server that runs already; "": as the sweep says
	SLO         string // searches the highest rate within this bound; "": as the sweep says
	Until       string // repeats until medians are known to this share; "": as the sweep says
	Beside      string // the file of another dpukv to measure beside this one; "": none
	// Terms are what the user agrees to on a server that runs already.
	ownkeys.Terms
	// Stays hears what an end without a way back leaves on such a server, and of "" once nothing is
	// left; nil: nobody does.
	Stays func(what string)
	// Within bounds the answer of a sweep, and what FailIf counts; nil: nothing does.
	Within  *results.Bound
	FailIf  []threshold.Threshold
	Version string // of this binary
	Source  provenance.Build
	Argv    []string // the command line, for the run folder
	// Credentials let the nodes into that server. An absent password is the environment's.
	Credentials kvs.Credentials
	// Context ends the wait for a file that is a pipe; nil: the wait has no end.
	Context context.Context

	Stdout io.Writer // of Run: the table at the end
	Stderr io.Writer // of Run: progress and errors

	// becomes the agent of a node here; nil: this binary with its subcommand node
	command []string
	// becomes the agent of the other dpukv here; nil: that binary with its subcommand node
	beside []string
	// the digest of that command's binary; "": this one's
	build string
	// of tests: "begin", "go", "end" of a point; nil: nobody
	observe func(event string, pt *sweep.Point, m *machines.Machines)
	// holds the emulated machines; nil: this binary with its own subcommand for that
	keeper   []string
	timeouts node.Timeouts // zero: node.DefaultTimeouts
	plain    bool          // no figures
}

// Plan is a valid sweep. NewPlan starts and writes nothing.
type Plan struct {
	Options     Options // with the run folder
	sweep       sweep.Sweep
	testbed     testbed.Testbed
	set         sweep.Settings
	sweepText   []byte // as given, with the settings; for the run folder
	testbedText []byte
	resumes     bool // Dir holds a part of it already
	points      []sweep.Point
	rates       *ratePlan       // nil: the sweep names all rates
	rounds      *roundPlan      // nil: the sweep has a fixed number of repeats
	tried       map[string]bool // points, by ID
	cores       [][]int         // of this machine, those that may be used
	this        program
	beside      *program // nil: there is no other one
}

// NewPlan reads the files and refuses configurations that cannot be measured as requested. It
// starts the binary of --beside, to ask for its build.
func NewPlan(o Options) (*Plan, error) {
	p := &Plan{Options: o, tried: map[string]bool{}}
	p.Options.Context = cmp.Or(o.Context, context.Background())
	if p.Options.timeouts == (node.Timeouts{}) {
		p.Options.timeouts = node.DefaultTimeouts
	}
	if err := p.findBeside(); err != nil {
		return nil, err
	}
	if err := p.load(); err != nil {
		return nil, err
	}
	allowed, err := cpu.Allowed()
	if err != nil {
		return nil, err
	}
	p.cores = machine.Cores(allowed)
	if err := errors.Join(
		plan.Check(&p.sweep, &p.testbed, allowed),
		sweep.CheckAttach(&p.sweep, &p.Options.Credentials), p.checkBeside(),
	); err != nil {
		return nil, err
	}
	only, err := sweep.ParseSelection(o.Only, &p.sweep)
	if err != nil {
		return nil, err
	}
	if err := p.selectPoints(only); err != nil {
		return nil, err
	}
	if p.Options.command == nil {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this binary, which the nodes are to run: %w", err)
		}
		p.Options.command = []string{self, node.Subcommand}
	}
	return p, nil
}

// load finds the sweep and the testbed: the requested ones, else those in the run folder, else the
// built-in ones.
func (p *Plan) load() error {
	if p.Options.Quick && p.Options.SweepFile != "" {
		return errors.New("--quick is a sweep of its own: leave out -f, or write a short " +
			"sweep file")
	}
	if p.Options.Dir == "" {
		p.Options.Dir = newDir("runs", time.Now())
	}
	run, err := runfolder.Open(p.Options.Dir)
	if err != nil && !errors.Is(err, runfolder.ErrNotRun) {
		return err
	}
	if p.resumes = run != nil; p.resumes {
		if err := refuseMerged(run); err != nil {
			return err
		}
	}
	err = errors.Join(p.loadSweep(run), p.loadTestbed(run))
	p.sweep.OnNodes(p.testbed.Names())
	return err
}

// newDir names a folder after the time, unlike any existing folder.
func newDir(parent string, now time.Time) string {
	name := filepath.Join(parent, now.Format("2006-01-02T15-04-05"))
	for dir, n := name, 2; ; n++ {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return dir
		}
		dir = fmt.Sprintf("%s-%d", name, n)
	}
}

// loadSweep loads the sweep and compares it with the one in a run folder.
func (p *Plan) loadSweep(run *runfolder.Run) error {
	if err := p.askedSweep(); err != nil || run == nil {
		return err
	}
	asked := p.sweep
	text, err := run.Sweep()
	if err != nil {
		return err
	}
	name := filepath.Join(p.Options.Dir, "sweep.yaml")
	held, err := parseSweep(name, text, nil)
	if err != nil {
		return err
	}
	points, _, err := run.All()
	if err != nil {
		return err
	}
	if err := fits(run, points, &held); err != nil {
		return err
	}
	if p.Options.SweepFile == "" && !p.Options.Quick {
		if p.sweep, err = parseSweep(name, text, p.set); err != nil {
			return err
		}
		if !p.set.Has("repeats") {
			p.sweep.Repeats = held.Repeats
		}
		if p.Options.Attach != "" {
			p.sweep.Attach = asked.Attach
		}
		if p.Options.SLO != "" {
			p.sweep.SLO = asked.SLO
		}
		if p.Options.Until != "" {
			p.sweep.RepeatsUntil = asked.RepeatsUntil
		}
		if p.beside != nil {
			p.sweep.Compare(asked.Compared())
		}
	}
	asThen(&p.sweep, points)
	return p.refuseOther("sweep", differences(&held, &p.sweep))
}

// parseSweep refuses an empty file. The file may have been cut. A user who names a file does not
// ask for the whole built-in sweep.
func parseSweep(name string, text []byte, set sweep.Settings) (sweep.Sweep, error) {
	file := strictyaml.File{Name: name}
	if len(file.Parse(text)) == 0 && len(file.Faults) == 0 {
		return sweep.Sweep{},
			fmt.Errorf("%s: found nothing in it, allowed: at least one key of a sweep; "+
				"the built-in sweep runs without a file", name)
	}
	return sweep.ParseWith(name, text, set)
}

// refuseMerged refuses a folder that was merged: it has no sweep to continue.
func refuseMerged(run *runfolder.Run) error {
	sources, err := run.MergedFrom()
	if err != nil || sources == nil {
		return err
	}
	var names []string
	for i := range sources {
		names = append(names, sources[i].Folder)
	}
	return fmt.Errorf("%s: found a folder of dpukv run merge, allowed: the folder of one sweep; "+
		"continue %s, and merge again", run.Dir(), strings.Join(names, " or "))
}

// fits refuses a run folder with points that its sweep lacks: the sweep was changed, or cut. It
// gives the sweep the repeats by which the folder has grown, and the defaults of its build.
func fits(run *runfolder.Run, points []results.Point, held *sweep.Sweep) error {
	held.OnNodes(nodesAsked(points))
	asThen(held, points)
	grow(held, points)
	if held.Size(sweep.MaxPoints) == sweep.MaxPoints {
		return nil // too many to list: it is refused for that
	}
	asked, err := requests(held)
	if err != nil {
		return err
	}
	for i := range points {
		if _, ok := asked(&points[i]); !ok {
			return notAsked(run, held, &points[i])
		}
	}
	return nil
}

// notAsked says how the request that is nearest to a point differs from it.
func notAsked(run *runfolder.Run, held *sweep.Sweep, p *results.Point) error {
	nearest := ""
	for _, pt := range held.Points() {
		err := pt.VerifyUsed(p)
		if err == nil || pt.IsProbe() != p.IsProbe() {
			continue
		}
		if said := err.Error(); nearest == "" ||
			strings.Count(said, "; ") < strings.Count(nearest, "; ") {
			nearest = said
		}
	}
	if nearest != "" {
		nearest = " (" + foreign.Reason(foreign.Line(nearest)) + ")"
	}
	return fmt.Errorf("%s: found the point %s, which its sweep.yaml does not ask for%s: the file "+
		"was changed, or an earlier build had other defaults; put back the file that the point "+
		"was measured by, or choose another folder", run.Dir(), p.ID, nearest)
}

// readInput reads a sweep or testbed that the user named.
func (p *Plan) readInput(file string) ([]byte, error) {
	return infile.ReadInput(p.Options.Context, file, strictyaml.MaxBytes)
}

// readBeside reads a file that the sweep file names, from the sweep file's folder.
func (p *Plan) readBeside(path string) ([]byte, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(p.Options.SweepFile), path)
	}
	return p.readInput(path)
}

// askedSweep reads the sweep of the command line, with the values that flags replace.
func (p *Plan) askedSweep() (err error) {
	if p.set, err = sweep.ParseSettings(p.Options.Set); err != nil {
		return err
	}
	if err := p.set.Embed(p.readInput); err != nil {
		return err
	}
	switch {
	case p.Options.SweepFile != "":
		err = p.askedFile()
	case p.Options.Quick:
		err = p.builtIn(sweep.Quick())
	default:
		err = p.builtIn(sweep.Default())
	}
	if err != nil {
		return err
	}
	return p.amend()
}

func (p *Plan) askedFile() (err error) {
	if p.sweepText, err = p.readInput(p.Options.SweepFile); err != nil {
		return err
	}
	if p.sweepText, err = sweep.Embed(p.Options.SweepFile, p.sweepText, p.readBeside); err != nil {
		return err
	}
	if p.sweep, err = parseSweep(p.Options.SweepFile, p.sweepText, p.set); err != nil {
		return err
	}
	p.sweepText, err = p.set.Apply(p.Options.SweepFile, p.sweepText)
	return err
}

// builtIn takes a built-in sweep. With settings it is a file of the keys that say more than the
// default, so that a store that they name has the values of its own study.
func (p *Plan) builtIn(s sweep.Sweep) (err error) {
	const name = "the built-in sweep"
	p.sweep = s
	if p.set == nil {
		return nil
	}
	if p.sweep, err = sweep.ParseWith(name, s.Short(), p.set); err != nil {
		return err
	}
	p.sweepText, err = p.set.Apply(name, s.Short())
	return err
}

// sweepFlag is a flag that sets a key of the sweep.
type sweepFlag struct {
	key, value string
	set        func(value string) error
}

func (f *sweepFlag) name() string {
	if f.key == "build" {
		return "--beside"
	}
	return "--" + strings.ReplaceAll(f.key, "_", "-")
}

// other is what has no place beside another value in the file.
func (f *sweepFlag) other() string {
	if f.key == "build" {
		return "the key, which --beside writes"
	}
	return f.name()
}

// text is the value in the run folder's sweep. Builds are a list.
func (f *sweepFlag) text(s *sweep.Sweep) string {
	if f.key == "build" {
		return "[" + s.Value(f.key) + "]"
	}
	return s.Value(f.key)
}

// sweepFlags returns those that are given.
func (p *Plan) sweepFlags() []sweepFlag {
	return slices.DeleteFunc([]sweepFlag{
		{"attach", p.Options.Attach, p.sweep.AttachTo},
		{"slo", p.Options.SLO, p.sweep.Search},
		{"repeats_until", p.Options.Until, p.sweep.RepeatUntil},
		{"build", p.besideValue(), p.compareBuilds},
	}, func(f sweepFlag) bool { return f.value == "" })
}

// amend sets the values of such flags in the sweep and in the run folder's copy of it.
func (p *Plan) amend() error {
	var errs []error
	var names []string
	var lines []byte
	for _, f := range p.sweepFlags() {
		switch was := p.sweep.Value(f.key); was {
		case "none":
		case f.value:
			continue
		default:
			return fmt.Errorf("%s says %s: %s already: leave out %s", p.source(f.key), f.key, was,
				f.other())
		}
		errs, names = append(errs, f.set(f.value)), append(names, f.name())
		lines = fmt.Appendf(lines, "\n%s: %s # by %s\n", f.key, f.text(&p.sweep), f.name())
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if p.Options.SweepFile == "" && p.set == nil {
		p.sweepText = p.sweep.Marshal()
		return nil
	}
	if names == nil {
		return nil
	}
	p.sweepText = append(p.sweepText, lines...)
	if _, err := sweep.Parse(p.Options.SweepFile, p.sweepText); err != nil {
		return fmt.Errorf("with %s: %w", strings.Join(names, ", "), err)
	}
	return nil
}

// source names what gives a key its value.
func (p *Plan) source(key string) string {
	if p.set.Has(key) {
		return "--set"
	}
	return p.Options.SweepFile
}

// loadTestbed loads the testbed and compares it with the one in a run folder.
func (p *Plan) loadTestbed(run *runfolder.Run) error {
	if err := p.askedTestbed(); err != nil || run == nil {
		return err
	}
	text, err := run.Testbed()
	if err != nil {
		return err
	}
	held, err := testbed.Parse(filepath.Join(p.Options.Dir, "testbed.yaml"), text)
	if err != nil {
		return err
	}
	if p.Options.TestbedFile == "" {
		p.testbed, p.testbedText = held, text
	}
	return p.refuseOther("testbed", held.Differences(&p.testbed))
}

func (p *Plan) askedTestbed() error {
	if p.Options.TestbedFile == "" {
		p.testbed = testbed.Local()
		p.testbedText = p.testbed.Marshal()
		return nil
	}
	var err error
	if p.testbedText, err = p.readInput(p.Options.TestbedFile); err != nil {
		return err
	}
	p.testbed, err = testbed.Parse(p.Options.TestbedFile, p.testbedText)
	return err
}

// refuseOther keeps measurements that differ in more than their points out of one run folder.
func (p *Plan) refuseOther(what string, differ []string) error {
	if len(differ) == 0 {
		return nil
	}
	return fmt.Errorf("%s holds a run of another %s: %s; continue it with its own %s (dpukv "+
		"sweep --resume --out %s), or choose another folder",
		p.Options.Dir, what, strings.Join(differ, "; "), what, p.Options.Dir)
}
