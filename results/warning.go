package results

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Warning limits what a point shows. In JSON it is one text, as [Warning.String] returns it, and
// [ReadWarning] finds its kind again.
type Warning struct {
	Kind Kind
	Node string // client that tells it, of several; else ""
	Text string // for people, in full
}

// Kind is what a warning is about. The kinds are a closed set, with a row each in kinds.
type Kind string

// The kinds whose warnings begin with them, and a colon.
const (
	ClientBound   Kind = "client-bound"   // the client was as busy as it can be
	ComputeBound  Kind = "compute-bound"  // with its own compute
	ComputeSlowed Kind = "compute slowed" // others delayed that compute
	ProxyBound    Kind = "proxy-bound"
	ScheduleLate  Kind = "schedule late"    // an open loop sent late by the client's doing
	ScheduleHeld  Kind = "schedule held up" // by full windows
	RateMissed    Kind = "target rate missed"
	Backlogged    Kind = "only a backlog answered" // of the warm-up: a rate far beyond capacity
	LowerBounds   Kind = "latencies are lower bounds"
	LeftOut       Kind = "latencies left out" // of older builds
	Disturbed     Kind = "disturbed"          // other programs, or a hypervisor, used the CPUs
	Drift         Kind = "drift"              // the point changed while it was measured
	FewRequests   Kind = "few requests"       // for those in flight at the begin
	CutShort      Kind = "cool-down cut short"
	Overload      Kind = "overload"       // of a datapath, which lost packets
	EmulatedTails Kind = "emulated tails" // a quota shows in the percentiles
	Unchecked     Kind = "unchecked"      // the client believed all that READs brought
)

// The other kinds.
const (
	TooShort      Kind = "too short"           // even for p95
	TooShortP99   Kind = "too short for p99"   // and long enough for p95
	TooShortP999  Kind = "too short for p99.9" // and long enough for p99
	InFlight      Kind = "in flight"           // not what the windows of a closed loop hold
	Spinning      Kind = "spinning"            // CPU time of the client went into looking for work
	SharedCPUs    Kind = "shared CPUs"
	SharedForward Kind = "shared forwarder's CPUs"
	LostPackets   Kind = "lost packets" // or late ones
	Expired       Kind = "expired items"
	TTLs          Kind = "ttl"                  // a trace's, which the items did not have
	FillsDropped  Kind = "fills dropped"        // a load did not store all that it missed
	Sizeless      Kind = "fills without a size" // a trace's misses that no fill can answer
	OutOfRange    Kind = "out of range"         // latencies beyond the histograms
	ClientsApart  Kind = "clients apart"
	Unproven      Kind = "unproven"   // which way packets took
	Substitute    Kind = "substitute" // a datapath that is not the submode's, or not as fast
	PlaysPCIe     Kind = "plays PCIe" // memory or software carries lanes
	Emulation     Kind = "emulation"  // of a machine, in what shows
	Filtered      Kind = "filtered"   // packets that a filter dropped on purpose
	Distrusted    Kind = "distrusted" // counters of the server
	Attached      Kind = "attached"   // the server ran already
	Coarse        Kind = "coarse"     // the instrument
	Other         Kind = "other"
)

type kindRow struct {
	Kind
	validity bool           // the point shows something else than the server at its load
	title    string         // in a few words, where its warnings fold; "": they are short enough
	begins   *regexp.Regexp // nil: the kind itself, and a colon
}

// kinds has a row for each begin of a warning. The first one that fits tells the kind.
var kinds = []kindRow{
	{ClientBound, true, "the client's CPU is full", nil},
	{ComputeBound, true, "the application's compute sets the pace", nil},
	{ScheduleLate, true, "the client sent its batches late", nil},
	{RateMissed, true, "the offered rate was not reached", nil},
	{Backlogged, true, "", nil},
	{LowerBounds, true, "latencies are lower bounds", nil},
	{LeftOut, true, "latencies are left out", nil},
	{Disturbed, true, "other work took CPU time", nil},
	{Drift, true, "throughput or latency drifted", nil},
	{ComputeSlowed, false, "other work delayed the application's compute", nil},
	{ProxyBound, false, "", nil},
	{ScheduleHeld, false, "the client's schedule was held up", nil},
	{FewRequests, false, "", nil},
	{CutShort, false, "", nil},
	{Overload, false, "", nil},
	{EmulatedTails, false, "", nil},
	{TTLs, false, "", nil},
	{FillsDropped, true, "not all misses were stored", nil},
	{Sizeless, true, "misses could not be stored: no size is known", nil},
	{Unchecked, true, "", nil},

	{TooShortP999, false, tooShort, begins(`too short for p99\.9`)},
	{TooShortP99, false, tooShort, begins(`too short for p99`)},
	{TooShort, false, tooShort, begins(`too short for`)},
	{InFlight, false, inFlight, begins(`in flight:|the windows never filled`)},
	{Spinning, false, "", begins(`the client threads spent .* spinning`)},
	{SharedForward, false, "", begins(`what forwards shares CPU`)},
	{SharedCPUs, false, "", begins(`[^:]* (shares? (CPU|\d+ CPUs)|` +
		`run on threads of the same core|run on the same machine, and not both)`)},
	{LostPackets, false, "", begins(`the network lost|requests sent again:`)},
	{Expired, false, "", begins(`\d+ of \d+ GETs missed: items expire`)},
	{OutOfRange, false, "", begins(`\d+ latencies were outside`)},
	{ClientsApart, false, "", begins(`the clients (began|differ in) `)},
	{Unproven, false, "", begins(`what the clients sent is not known|off-path-sf: that the Arms|` +
		`found \d+ of \d+ packets in partially|that sm5 forwards`)},
	{Substitute, false, "", begins(`[^:]* stands in |.*forwards in the kernel, which its profile`)},
	{PlaysPCIe, false, "", begins(`.*which plays PCIe`)},
	{Emulation, false, "", begins(`.*(runs under an emulator|is weaker than its model|` +
		`the emulated DPU is as fast)`)},
	{Filtered, false, "", begins(`the filter .* dropped`)},
	{Distrusted, false, "", begins(`the server's counters are not those of this load`)},
	{Attached, false, "", begins(`.*(ran already: how|names of the load's keys were)`)},
	{Coarse, false, "", begins(`.*(figures have an interval wider than|so cycles are unknown|` +
		`iperf3 measures whole seconds)`)},
	{Other, false, "", begins("")},
}

const (
	tooShort = "the measurement period is too short for a high percentile"
	inFlight = "a closed loop did not keep its windows full"
)

func begins(with string) *regexp.Regexp { return regexp.MustCompile("^(?:" + with + ")") }

// Warn returns a warning. Its text begins with the kind and a colon, unless the kind has a begin of
// its own: then the text must have it, too.
func (k Kind) Warn(format string, args ...any) Warning {
	text := fmt.Sprintf(format, args...)
	if k.row().begins == nil {
		text = string(k) + ": " + text
	}
	return Warning{Kind: k, Text: text}
}

// Title says in a few words what warnings are about that fold into one line. It is "" for others.
func (k Kind) Title() string { return k.row().title }

func (k Kind) row() *kindRow {
	return &kinds[slices.IndexFunc(kinds, func(r kindRow) bool { return r.Kind == k })]
}

// ValidityKinds are the kinds that say that a point shows something else than the server at the
// requested load.
func ValidityKinds() (list []Kind) {
	for _, r := range kinds {
		if r.validity {
			list = append(list, r.Kind)
		}
	}
	return list
}

// ReadWarning reads a warning. One that no kind is known of is of the kind [Other], with the whole
// text.
func ReadWarning(text string) Warning {
	if kind := kindOf(text); kind != Other {
		return Warning{Kind: kind, Text: text}
	}
	if node, rest, found := strings.Cut(text, ": "); found && nodeName.MatchString(node) {
		if kind := kindOf(rest); kind != Other {
			return Warning{kind, node, rest}
		}
	}
	return Warning{Kind: Other, Text: text}
}

var nodeName = regexp.MustCompile(`^[\w.-]+$`)

func kindOf(text string) Kind {
	for _, r := range kinds {
		if r.begins == nil && strings.HasPrefix(text, string(r.Kind)+":") ||
			r.begins != nil && r.begins.MatchString(text) {
			return r.Kind
		}
	}
	return Other
}

// String returns the text with the name of the node before it.
func (w Warning) String() string {
	if w.Node == "" {
		return w.Text
	}
	return w.Node + ": " + w.Text
}

// MarshalText writes the warning as one text.
func (w Warning) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText is [ReadWarning].
func (w *Warning) UnmarshalText(text []byte) error {
	*w = ReadWarning(string(text))
	return nil
}

// Warnings are those of a point.
type Warnings []Warning

// ReadWarnings reads several warnings, and leaves out empty ones.
func ReadWarnings(texts ...string) (list Warnings) {
	for _, text := range texts {
		if text != "" {
			list = append(list, ReadWarning(text))
		}
	}
	return list
}

// Has reports whether one of the warnings is of one of these kinds.
func (l Warnings) Has(kinds ...Kind) bool {
	return slices.ContainsFunc(l, func(w Warning) bool { return slices.Contains(kinds, w.Kind) })
}

// String returns a line for each warning.
func (l Warnings) String() string {
	var b strings.Builder
	for _, w := range l {
		fmt.Fprintln(&b, w)
	}
	return b.String()
}
