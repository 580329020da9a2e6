package journal

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/placement/submode/step"
)

// answers are a node's answers to commands, by a part of their text; the first match counts.
type answers [][2]string

func (a answers) node() (n step.Node, asked *[]string) {
	asked = new([]string)
	return step.Node{Name: "d", Run: func(_ context.Context, argv []string) (string, error) {
		text := step.Quote(argv)
		*asked = append(*asked, text)
		for _, answer := range a {
			if strings.Contains(text, answer[0]) {
				return answer[1], nil
			}
		}
		return "", nil
	}}, asked
}

// older is a journal as an earlier version wrote it.
const older = `{"Run":["ip","link","set","dev","p0","down"],"Port":"p0",` +
	`"Found":["state","of","p0"],"Sets":"up"}
{"Run":["ip","link","set","dev","p0","promisc","off"],"Port":"p0",` +
	`"Found":["flag","of","p0"],"Sets":"on"}
{"Run":["ip","link","set","dev","gone","down"],"Port":"gone"}
{"Run":["kill","daemon"]}
{"Run":["cut","sho`

// TestUndoOfOlderVersions: the last record is undone first. A setting that was changed since, or
// whose port is another interface by now, is left alone. A truncated record belongs to a step that
// never ran.
func TestUndoOfOlderVersions(t *testing.T) {
	node, asked := answers{
		{"readlink", "net:[4026531840]\n"},
		{"ip -j link show", `[{"ifname":"lo","altnames":["dpukv-0123456789abcdef"]},` +
			`{"ifname":"p0","altnames":["dpukv-0123456789abcdef-p0"]},{"ifname":"gone"}]`},
		{"/net-0123456789abcdef/undo", older},
		{"state of p0", "up\n"},
		{"flag of p0", "off\n"},
	}.node()
	must.Do(t, must.Get(OfNamespace(t.Context(), node))(t).Undo(t.Context()))
	ran := slices.DeleteFunc(*asked, func(text string) bool {
		return !strings.HasPrefix(text, "ip link set") && !strings.HasPrefix(text, "kill")
	})
	if want := []string{"kill daemon", "ip link set dev p0 down"}; !slices.Equal(ran, want) {
		t.Errorf("found %q, want %q", ran, want)
	}
}

// TestUndoTimesEachStep: each step has its own time, so that a slow one takes none of the others'.
func TestUndoTimesEachStep(t *testing.T) {
	fake := answers{
		{"readlink", "net:[4026531840]\n"},
		{"ip -j link show", `[{"ifname":"lo","altnames":["dpukv-0123456789abcdef"]}]`},
		{"/net-0123456789abcdef/undo", `{"Run":["undo","1"]}` + "\n" + `{"Run":["undo","2"]}` + "\n"},
	}
	node, _ := fake.node()
	answer := node.Run
	var ends []time.Time
	node.Run = func(ctx context.Context, argv []string) (string, error) {
		if end, ok := ctx.Deadline(); ok && argv[0] == "undo" {
			ends = append(ends, end)
		}
		return answer(ctx, argv)
	}
	must.Do(t, must.Get(OfNamespace(t.Context(), node))(t).Undo(t.Context()))
	if len(ends) != 2 || !ends[1].After(ends[0]) {
		t.Errorf("found steps that may take until %v, want two times", ends)
	}
}
