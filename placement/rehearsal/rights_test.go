//go:build card

package rehearsal

import (
	"context"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/submode"
	"dpukv/placement/submode/step"
)

// TestRights: a card runs no command that is not among those of the sudoers file.
func TestRights(t *testing.T) {
	c := newCard(t)
	allowed := must.Get(submode.Rights(config("", "")))(t)
	n := c.node()
	asked := 0
	watched := step.Node{Name: "dpu", Run: func(ctx context.Context, argv []string) (string, error) {
		asked++
		if !slices.ContainsFunc(allowed, func(rule []string) bool { return within(rule, argv) }) {
			t.Errorf("not among the rights: %s", step.Quote(argv))
		}
		return n.Run(ctx, argv)
	}}
	for _, d := range [][2]string{{submode.SM1, "ovs-system"}, {submode.SM3, "testpmd"}, {submode.SM5, "ovs-doca"}} {
		l := must.Get(mustNew(t, d[0], d[1]).Apply(t.Context(), watched))(t)
		must.Get(l.Evidence(t.Context()))(t)
		must.Do(t, l.CheckFullSize(t.Context(), c.end("a"), c.end("b")))
		must.Do(t, l.Undo(t.Context()))
	}
	t.Logf("%d commands of %d", asked, len(allowed))
}

// within reports whether a command is that of a rule. What is found there is the rule's last words.
func within(rule, argv []string) bool {
	for i, word := range rule {
		if word == step.AsFound {
			return len(argv) > i || strings.TrimSpace(word) == ""
		}
		if i >= len(argv) || argv[i] != word {
			return false
		}
	}
	return len(rule) == len(argv)
}
