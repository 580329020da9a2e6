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

// thresholdHelp belongs to the help of each command with --fail-if. A sentence says what a
// threshold judges there; "": one point.
func thresholdHelp(judges string) string {
	return `

A threshold of --fail-if is FIGURE > LIMIT, or has >=, < or <=. It is broken where this is true.
throughput takes a rate such as 500kops. mean, p50, p95, p99, p99.9 and max, also as actual_p99,
take a time such as 300us. server_cpu, client_cpu and host_cpu take a CPU time per operation such as
500ns. misses and errors take a share such as 0.1%.` + judges + `

Exit status with --fail-if: 0 if each threshold is kept; 1 if one is broken; 2 for a mistake in the
command; 3 if one is not decided. Failed or disturbed points, and intervals without an upper end,
count for neither. If the rest does not suffice, or repeats disagree, it is not decided. A line says
which configuration decided, and why.`
}

func (l *limits) add(flags *pflag.FlagSet, slo string) {
	flags.StringVar(&l.slo, "slo", "", slo)
	flags.StringArrayVar(&l.failIf, "fail-if", nil, "threshold that sets the exit status, such as "+
		"'p99 > 300us' (may be repeated); see above for the figures")
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
