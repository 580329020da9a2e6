package trial

import (
	"strings"
	"testing"
	"time"

	"dpukv/internal/machine"
	"dpukv/internal/test/must"
	"dpukv/placement/launch"
	"dpukv/placement/node"
	"dpukv/placement/process"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results/resultstest"
)

// fakeShare returns the report of a client that measured for a second from told on.
func fakeShare(name string, told time.Time) share {
	p := resultstest.Point()
	p.StartedAt, p.DurationNs = told, int64(time.Second)
	return share{
		member: &member{
			Process: &node.Process{Node: name},
			place: &process.Process{
				Node: &testbed.Node{Node: launch.Node{Name: name}, Kind: testbed.KindHost}, Kernel: "k",
			},
			hello: &node.Hello{
				Machine: machine.Facts{ReadAt: told.Add(-time.Minute)}, Heard: told.Add(-time.Minute),
			},
		},
		res: &node.Result{Point: p}, began: told,
	}
}

func TestMergeRefusesNonsense(t *testing.T) {
	told := time.Now()
	pt := &sweep.Point{Config: sweep.Config{Duration: time.Second}}
	shares := func() []share { return []share{fakeShare("a", told), fakeShare("b", told)} }
	late := shares()
	late[1].began = told.Add(600 * time.Millisecond)
	_, err := merge(late, told, pt)
	must.Fail(t, err, "the clients began 600 ms apart, 60 % of the measurement period")
	late[1].began = told.Add(100 * time.Millisecond)
	if res, err := merge(late, told, pt); err != nil ||
		!strings.Contains(res.Point.Warnings[0].Text, "100 ms apart, 10 % of the measurement period") {
		t.Errorf("not quite together: got %v", err)
	}
	jumped := shares()
	jumped[1].res.Point.StartedAt = told.Add(time.Hour)
	_, err = merge(jumped, told, pt)
	must.Fail(t, err, "node b: its measurement period began 1h0m0s from when it was told to, by its clock")
}
