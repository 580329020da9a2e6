package main

import (
	"regexp"
	"strings"
)

// verdict is the outcome of a run of "go test -fuzz".
type verdict int

const (
	fine      verdict = iota
	outOfTime         // the engine's time ran out in the middle of an input
	found             // an input that fails, or the target does not build or run
)

func (v verdict) String() string { return [...]string{"fine", "ran out of time", "FAILED"}[v] }

// engineDeadline matches the engine's whole message about a target whose time ran out: a reason of
// its own, without any test below it.
var engineDeadline = regexp.MustCompile(
	`(?m)^--- FAIL: Fuzz\w+ \([0-9.]+s\)\n    context deadline exceeded\nFAIL\n`)

// judge derives the verdict from a run's exit and output. An unknown output is a failure.
func judge(ended error, output string) verdict {
	switch {
	case ended == nil:
		return fine
	case !engineDeadline.MatchString(output) || strings.Count(output, "--- FAIL") != 1:
		return found
	case strings.Contains(output, "Failing input written"),
		strings.Contains(output, "failure while testing seed corpus"):
		return found
	}
	return outOfTime
}

var executions = regexp.MustCompile(`execs: (\d+)`)

// tried is the number of tried inputs, from the run's last progress line.
func tried(output string) string {
	all := executions.FindAllStringSubmatch(output, -1)
	if len(all) == 0 {
		return "no"
	}
	return all[len(all)-1][1]
}
