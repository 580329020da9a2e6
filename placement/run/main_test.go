package run

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"dpukv/internal/test/programs"
	"dpukv/placement/node"
)

// TestMain lets the test binary be the other processes that the tests start:
//
//	fake-node SCRIPT     a node that follows a script, see fakeNode
//	node                 a real node
//	orchestrator ARGS…   a sweep, to be killed
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "fake-node":
			os.Exit(fakeNode(os.Args[2], os.Args[3]))
		case "node":
			os.Exit(realNode())
		case "orchestrator":
			os.Exit(orchestrator(os.Args[2:]))
		}
	}
	build, err := node.BuildID()
	if err != nil {
		panic(err)
	}
	os.Setenv(buildVariable, build)
	os.Setenv("GORACE", "atexit_sleep_ms=0") // a process under the race detector would take a second to end
	// gnet's pool of goroutines starts with its package.
	goleak.VerifyTestMain(m,
		goleak.Cleanup(func(code int) {
			programs.Remove()
			os.Exit(code)
		}),
		goleak.IgnoreTopFunction("github.com/panjf2000/ants/v2.(*poolCommon).purgeStaleWorkers"),
		goleak.IgnoreTopFunction("github.com/panjf2000/ants/v2.(*poolCommon).ticktock"))
}
