package submode

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// Owner names this process, for a Config: what it applied in a namespace that went with it is removed by the next apply.
func Owner() string {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return ""
	}
	key, _, err := parseStat(string(text))
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(key, "@", " ")
}

// Sweep removes the folders of dead owners whose network namespace is gone. With the namespace went all there was to undo.
func Sweep(ctx context.Context, n Node, target string) error {
	return sweep(ctx, n, target, &space{})
}

// sweep does so in a namespace, to which no folder without its mark belongs, whatever the inode.
func sweep(ctx context.Context, n Node, target string, here *space) error {
	if target != Linux {
		return nil
	}
	_, err := n.Run(ctx, sh(`
root=$1 here=$2 ours=net-$3
cd "$root" 2>/dev/null || exit 0
there=$(stat -Lc %i /proc/[0-9]*/ns/net /run/netns/* 2>/dev/null || :)
for d in net-*; do
	test "$d" != "$ours" || continue
	space=$(sed -n 's/.*"Space":"\([0-9]*\)".*/\1/p' "$d/about" 2>/dev/null) || continue
	test -n "$space" || continue
	owner=$(sed -n 's/.*"Owner":"\([0-9]* [0-9]*\)".*/\1/p' "$d/about" 2>/dev/null) || continue
	test -n "$owner" || continue
	set -- $owner
	test "$(sed -n 's/.*) //; /^[ZX]/!p' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20)" != "$2" || continue
	test "$space" != "$here" && printf '%s\n' "$there" | grep -qx "$space" || rm -rf "$d"
done
cd /
rmdir -p "$root" 2>/dev/null || :`, root(target), here.inode, here.mark))
	if err != nil {
		return fmt.Errorf("node %s: look for folders of dead owners: %w", n.Name, err)
	}
	return nil
}
