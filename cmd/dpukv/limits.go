package main

import (
	"errors"

	"github.com/spf13/pflag"

	"dpukv/results"
	"dpukv/results/threshold"
)

// limits are the flags --slo and --fail-if.
type limits struct {
	slo    string
	bound  *results.Bound // of slo; nil: none
	failIf []string
	list   []threshold.Threshold // of failIf
}

// exitOfThresholds belongs to the help of each command with --fail-if.
const exitOfThresholds = `

Exit status with --fail-if: 0 if each threshold is kept; 1 if one is broken; 2 for a mistake in the
command; 3 if one is not decided. A failed or disturbed point decides nothing, nor do repeats that
disagree, or an interval without an upper end. A line says which configuration decided, and why.`

// addFailIf adds the flag --fail-if alone. The help says which points count.
func (l *limits) addFailIf(flags *pflag.FlagSet, counts string) {
	flags.StringArrayVar(&l.failIf, "fail-if", nil, "threshold that sets the exit status, such as "+
		"'p99 > 300us'"+counts+" (may be repeated); >, >=, < or <= between a figure and a limit: "+
		threshold.Allowed())
}

func (l *limits) add(flags *pflag.FlagSet, slo, counts string) {
	flags.StringVar(&l.slo, "slo", "", slo)
	l.addFailIf(flags, counts)
}

// parse reads the flags. An error is a mistake of the user.
func (l *limits) parse() (err error) {
	if l.bound, err = parseSLO(l.slo); err != nil {
		return err
	}
	for _, text := range l.failIf {
		t, err := threshold.Parse(text)
		if err != nil {
			return ofFlag("fail-if", err)
		}
		l.list = append(l.list, t)
	}
	return nil
}

// status tells scripts a broken threshold from everything else that keeps thresholds undecided.
func (l *limits) status(err error) error {
	if err == nil || l.list == nil || errors.Is(err, threshold.ErrBroken) ||
		errors.As(err, new(usageError)) {
		return err
	}
	return noVerdictError{err}
}
