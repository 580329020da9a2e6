package main

import (
	"errors"
	"testing"
)

// Recorded output of go test.
const (
	saysDeadline = `fuzz: elapsed: 18s, execs: 5121 (201/sec), new interesting: 3 (total: 70)
fuzz: elapsed: 20s, execs: 5512 (190/sec), new interesting: 3 (total: 70)
--- FAIL: FuzzFrames (20.12s)
    context deadline exceeded
FAIL
exit status 1
FAIL	dpukv/kvs/mica	20.140s
`
	saysFound = `fuzz: elapsed: 0s, minimizing
--- FAIL: FuzzFind (0.06s)
    --- FAIL: FuzzFind (0.00s)
        a_test.go:4: long
    
    Failing input written to testdata/fuzz/FuzzFind/06ba4bdb19de593e
    To re-run:
    go test -run=FuzzFind/06ba4bdb19de593e
FAIL
exit status 1
`
	saysSeed = `failure while testing seed corpus entry: FuzzSeed/seed#0
fuzz: elapsed: 0s, gathering baseline coverage: 0/1 completed
--- FAIL: FuzzSeed (0.03s)
    --- FAIL: FuzzSeed (0.00s)
        a_test.go:5: one
    
FAIL
`
	// This target waits for its own deadline, and says so.
	saysOwnDeadline = `--- FAIL: FuzzWait (3.00s)
    --- FAIL: FuzzWait (0.00s)
        a_test.go:9: context deadline exceeded
    
    Failing input written to testdata/fuzz/FuzzWait/06ba4bdb19de593e
FAIL
`
	saysBuild = `# fz [fz.test]
./a_test.go:3:1: syntax error
FAIL	fz [build failed]
FAIL
`
	saysFine = `fuzz: elapsed: 1s, execs: 12 (12/sec), new interesting: 0 (total: 1)
PASS
`
)

func TestJudge(t *testing.T) {
	failed := errors.New("exit status 1")
	for name, test := range map[string]struct {
		ended  error
		output string
		want   verdict
	}{
		"fine":                      {nil, saysFine, fine},
		"out of time":               {failed, saysDeadline, outOfTime},
		"found":                     {failed, saysFound, found},
		"a seed":                    {failed, saysSeed, found},
		"the target's own deadline": {failed, saysOwnDeadline, found},
		"does not build":            {failed, saysBuild, found},
		"found, and out of time":    {failed, saysFound + saysDeadline, found},
		"killed":                    {errors.New("signal: killed"), saysFine, found},
		"nothing said":              {failed, "", found},
	} {
		if got := judge(test.ended, test.output); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
	if got := tried(saysDeadline); got != "5512" {
		t.Errorf("tried %s inputs", got)
	}
	if got := tried(saysBuild); got != "no" {
		t.Errorf("tried %s inputs", got)
	}
}
