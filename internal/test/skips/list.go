package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// entry allows the skips of a stage that its pattern matches.
type entry struct {
	stage    string
	optional bool // may match nothing
	pattern  *regexp.Regexp
	reason   string
	line     int
}

// parseList reads the list of all stages.
func parseList(text string) (list []entry, err error) {
	line := 0
	for full := range strings.Lines(text) {
		line++
		full = strings.TrimRight(full, " \t\n")
		words := strings.TrimLeft(full, " \t")
		switch {
		case words == "" || words[0] == '#':
		case words != full && len(list) == 0:
			return nil, fmt.Errorf("line %d: found a reason, want STAGE PATTERN before it", line)
		case words != full:
			last := &list[len(list)-1]
			last.reason = strings.TrimSpace(last.reason + " " + words)
		default:
			e, err := parseEntry(words)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			e.line = line
			list = append(list, e)
		}
	}
	for _, e := range list {
		if e.reason == "" {
			return nil, fmt.Errorf("line %d: found no reason for %s, want it in the next line, "+
				"indented",
				e.line, e.pattern)
		}
	}
	return list, nil
}

func parseEntry(text string) (e entry, err error) {
	stage, pattern, _ := strings.Cut(text, " ")
	if pattern = strings.TrimSpace(pattern); pattern == "" {
		return e, fmt.Errorf("found %q, want STAGE PATTERN", text)
	}
	e.stage, e.optional = strings.CutSuffix(stage, "?")
	e.pattern, err = regexp.Compile(pattern)
	return e, err
}

// verdict is the comparison of a stage's skips with the list.
type verdict struct {
	allowed  []string // each with its reason
	unlisted []string
	stale    []entry
}

// judge compares. An entry that is not optional has to match a skip of its stage.
func judge(list []entry, stage string, skips []string) (v verdict) {
	list = slices.DeleteFunc(slices.Clone(list), func(e entry) bool { return e.stage != stage })
	matched := make([]bool, len(list))
	for _, skip := range skips {
		reason := ""
		for i, e := range list {
			if e.pattern.MatchString(skip) {
				matched[i] = true
				reason = e.reason
			}
		}
		if reason == "" {
			v.unlisted = append(v.unlisted, skip)
		} else {
			v.allowed = append(v.allowed, skip+" ["+reason+"]")
		}
	}
	for i, e := range list {
		if !matched[i] && !e.optional {
			v.stale = append(v.stale, e)
		}
	}
	return v
}
