package main

import (
	"regexp"
	"strings"
)

// verdict is what a run of "go test -fuzz" came to.
type verdict int

const (
	fine      verdict = iota
	outOfTime         // the engine's time ran out in the middle of an input
	found             // an input that fails, or the target does not build or run
)

func (v verdict) String() string { return [...]string{"fine", "ran out of time", "FAILED"}[v] }

// engineDeadline is all that the engine says of a target whose time ran out: a reason of its own,
// without any test below it.
var engineDeadline = regexp.MustCompile(
	`(?m)^--- FAIL: Fuzz\w+ \([0-9.]+s\)\n    context deadline exceeded\nFAIL\n`)

// judge tells by its exit and its output what a run came to. What it does not know is a failure.
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

// tried is how many inputs a run has tried, by its last word on it.
func tried(output string) string {
	all := executions.FindAllStringSubmatch(output, -1)
	if len(all) == 0 {
		return "no"
	}
	return all[len(all)-1][1]
}
