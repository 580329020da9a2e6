package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"dpukv/placement/submode/step"
)

// cardID identifies a card by the machine's identity, and the built-in address of the wire port.
func cardID(ctx context.Context, n step.Node, wire string) (string, error) {
	out, err := n.Run(ctx, []string{"cat", "/etc/machine-id"})
	if err != nil {
		return "", n.About("which machine is it?", err)
	}
	id := strings.TrimSpace(out)
	if out, err = n.Run(ctx, []string{"ip", "-j", "link", "show", "dev", wire}); err != nil {
		return "", n.About("which card is it?", err)
	}
	var list []struct{ Address, Permaddr string }
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) != 1 {
		return "", fmt.Errorf("node %s: which card is it? found %q", n.Name, step.Shorten(out))
	}
	if p := list[0].Permaddr; p != "" {
		return id + " " + p, nil
	}
	return id + " " + list[0].Address, nil
}
