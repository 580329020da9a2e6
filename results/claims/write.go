package claims

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
)

// Write writes outcomes for a terminal, finding by finding. It groups the cases of a claim that
// were not measured.
func Write(w io.Writer, ev Evidence, outcomes []Outcome) error {
	var b bytes.Buffer
	for i := range ev.Runs {
		r := &ev.Runs[i]
		dpus := "no DPU"
		if g := r.Generations; len(g) > 0 {
			dpus = "DPUs: " + title(strings.Join(g, " and "))
		}
		fmt.Fprintf(&b, "%s: %s, %s\n", r.Name, numfmt.Count(len(r.Points), "point"), dpus)
		if n := r.scalablePoints(); n > 0 {
			fmt.Fprintf(&b, "  %d of them %s %s and left out: there the Arm has a scalable "+
				"function and the card is in DPU mode, in the study's off-path it is a separated "+
				"host\n", n, numfmt.Are(n), scalable)
		}
	}
	for i := range ev.Hashes {
		h := &ev.Hashes[i]
		fmt.Fprintf(&b, "%s: %s of hash functions on %s (%s)\n", h.Name,
			numfmt.Count(len(h.Times), "time"), title(h.Machine), h.CPU)
	}
	b.WriteByte('\n')
	source := func(o *Outcome) string { return o.Source }
	for list := range grouped(outcomes, source) {
		for of := range grouped(list, func(o *Outcome) string { return o.Finding }) {
			writeFinding(&b, of)
		}
	}
	for list := range grouped(outcomes, source) {
		writeCount(&b, list)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// grouped are the parts of a list with the same text, which follow each other.
func grouped(list []Outcome, by func(*Outcome) string) iter.Seq[[]Outcome] {
	return func(yield func([]Outcome) bool) {
		for rest := list; len(rest) > 0; {
			end := 1
			for end < len(rest) && by(&rest[end]) == by(&rest[0]) {
				end++
			}
			if !yield(rest[:end]) {
				return
			}
			rest = rest[end:]
		}
	}
}

func writeFinding(b *bytes.Buffer, list []Outcome) {
	fmt.Fprintf(b, "%s (%s)\n", list[0].Finding, list[0].Section)
	known := false
	for cases := range grouped(list, func(o *Outcome) string { return o.Says }) {
		if cases[0].Study != nil {
			fmt.Fprintf(b, "  %s\n", cases[0].Says)
		}
		known = writeClaim(b, cases) || known
	}
	if known || !slices.ContainsFunc(list, func(o Outcome) bool { return o.Study != nil }) {
		writeSubstitutes(b, list)
		writeWarnings(b, list)
	}
	b.WriteByte('\n')
}

// writeClaim writes a claim's cases, and reports whether any was measured.
func writeClaim(b *bytes.Buffer, cases []Outcome) (measured bool) {
	var about, study, why []string
	for i := range cases {
		o := &cases[i]
		if o.Measured != nil {
			measured = true
			o.write(b)
			continue
		}
		about = append(about, o.About())
		if o.Study != nil {
			study = append(study, o.Studied())
		}
		for reason := range strings.SplitSeq(o.Why, "; ") {
			if !slices.Contains(why, reason) {
				why = append(why, reason)
			}
		}
	}
	switch {
	case len(about) == 0:
	case len(study) == 0:
		fmt.Fprintf(b, "  %s\n      %s: %s\n", cases[0].Says, NotMeasured, strings.Join(why, "; "))
	default:
		fmt.Fprintf(b, "    %s%s %s  %s: %s\n",
			joinAbout(about), cases[0].whose(cases[0].Source), strings.Join(study, ", "),
			NotMeasured, strings.Join(why, "; "))
	}
	return measured
}

// joinAbout writes the scopes of cases, or "" if each covers everything.
func joinAbout(about []string) string {
	if about = slices.DeleteFunc(about, func(s string) bool { return s == "" }); len(about) == 0 {
		return ""
	}
	return strings.Join(about, "; ") + ": "
}

func (o *Outcome) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "    %s%s %s  yours %s  %s\n",
		joinAbout([]string{o.About()}), o.whose(o.Source), o.Studied(), o.Yours(), o.Word())
	fmt.Fprintf(b, "      %s\n", o.Behind())
	if o.Why != "" {
		fmt.Fprintf(b, "      %s\n", o.Why)
	}
}

// Word is the verdict with its tolerance, and with the emulated or substitute parts behind it.
func (o *Outcome) Word() string {
	word := string(o.Verdict)
	if o.Measured != nil && slices.Contains([]string{"about", "up to", "between"}, o.Expect) {
		switch o.Verdict {
		case Agrees:
			word = fmt.Sprintf("%s (within %g %%)", o.Verdict, 100*o.Tolerance)
		case Disagrees:
			word = fmt.Sprintf("%s (not within %g %%%s)", o.Verdict, 100*o.Tolerance, o.direction())
		}
	}
	if o.Substitute != "" {
		kind, _, _ := strings.Cut(o.Substitute, ":")
		return word + " [" + kind + "]"
	}
	return word
}

// direction tells for a ratio whether at least the same side is ahead.
func (o *Outcome) direction() string {
	switch s, m := *o.Study, *o.Measured; {
	case o.Unit != "ratio":
		return ""
	case (s > 1) == (m > 1):
		return ", the same side is ahead"
	}
	return ", the other side is ahead"
}

// Origin is the source within a sentence: "the study", "Lynx".
func (o *Outcome) Origin() string {
	if o.Source == "study" {
		return "the study"
	}
	return o.Source
}

// Whose names the owner of [Outcome.Study] within a sentence: the source, or this project.
func (o *Outcome) Whose() string { return o.whose(o.Origin()) }

func (o *Outcome) whose(source string) string {
	if o.OwnLimit {
		return "limit of dpukv"
	}
	return source
}

// About is the scope of a case: the generations of DPUs and the GET share.
func (o *Outcome) About() string {
	var said []string
	if len(o.Generations) > 0 {
		said = append(said, strings.ReplaceAll(titles(o.Generations), " or ", "/"))
	}
	if o.GetRatio != nil {
		said = append(said, fmt.Sprintf("%g %% GET", 100**o.GetRatio))
	}
	return strings.Join(said, ", ")
}

// Studied is the study's figure, with the side that it is for. The claim must have a figure.
func (o *Outcome) Studied() string {
	said := map[string]string{"at least": "≥ ", "at most": "≤ ", "up to": "up to "}[o.Expect] +
		o.figure(*o.Study)
	if o.StudyTo != nil {
		said += " to " + o.figure(*o.StudyTo)
	}
	return said
}

// Yours is the measured figure, with its range over other choices of repeats. The outcome must be
// measured.
func (o *Outcome) Yours() string {
	figure, low, high := o.figure(*o.Measured), o.figure(*o.Low), o.figure(*o.High)
	if low == high {
		return figure
	}
	return fmt.Sprintf("%s (%s to %s with other repeats)", figure, low, high)
}

// Behind is the evidence behind the measured figure.
func (o *Outcome) Behind() string {
	text := o.Which + "; " + o.used
	if o.Warned > 0 {
		text += fmt.Sprintf(", %d of them with warnings", o.Warned)
	}
	return text
}

// figure writes a figure with its unit.
func (o *Outcome) figure(x float64) string {
	switch o.Unit {
	case "ratio":
		return numfmt.Short(x) + "×"
	case "share":
		if x < 0 { // the claim says in words which way
			return numfmt.Short(-100*x) + " % the other way"
		}
		return numfmt.Short(100*x) + " %"
	}
	return numfmt.Short(x) + " " + o.Unit
}

// writeSubstitutes lists each substitute for hardware once.
func writeSubstitutes(b *bytes.Buffer, list []Outcome) {
	var told []string
	for i := range list {
		if s := list[i].Substitute; s != "" && !slices.Contains(told, s) {
			told = append(told, s)
			fmt.Fprintf(b, "    not the hardware of %s, but %s\n", list[i].Origin(), s)
		}
	}
}

// writeWarnings lists the warnings of a finding once, with the known alternatives of the runs.
func writeWarnings(b *bytes.Buffer, list []Outcome) {
	told := map[string]bool{}
	for _, known := range []bool{true, false} {
		for i := range list {
			for _, d := range list[i].Warnings {
				if told[d.Study] && d.Instead == "" || told[d.Study+d.Instead] ||
					known != (d.Instead != "") {
					continue
				}
				if !told[d.Study] {
					fmt.Fprintf(b, "    warning about %s: %s\n", list[i].Origin(), d.Study)
				}
				told[d.Study], told[d.Study+d.Instead] = true, true
				if d.Instead != "" {
					fmt.Fprintf(b, "      your runs: %s\n", d.Instead)
				}
			}
		}
	}
}

// do says how many do something: "1 agrees", "2 agree".
func do(n int, verb string) string {
	if n == 1 {
		verb += "s"
	}
	return fmt.Sprint(n, " ", verb)
}

// Count is the number of claims that outcomes are cases of. The cases of a claim follow each other.
func Count(outcomes []Outcome) (claims int) {
	for i := range outcomes {
		if i == 0 || outcomes[i].Says != outcomes[i-1].Says ||
			outcomes[i].Finding != outcomes[i-1].Finding {
			claims++
		}
	}
	return claims
}

func writeCount(b *bytes.Buffer, outcomes []Outcome) {
	count := map[Verdict]int{}
	marked := 0
	for i := range outcomes {
		count[outcomes[i].Verdict]++
		if outcomes[i].Substitute != "" {
			marked++
		}
	}
	open, missing := count[Inconclusive], count[NotMeasured]
	fmt.Fprintf(b, "Of %s of %s of %s, %s, %s, %d %s inconclusive, %d %s not "+
		"measured", numfmt.Count(len(outcomes), "case"), numfmt.Count(Count(outcomes), "claim"),
		outcomes[0].Origin(), do(count[Agrees], "agree"), do(count[Disagrees], "disagree"), open,
		numfmt.Are(open), missing, numfmt.Are(missing))
	if marked > 0 {
		fmt.Fprintf(b, "; of those measured, %s emulated or substitute parts",
			do(marked, "use"))
	}
	b.WriteString(".\n")
}
