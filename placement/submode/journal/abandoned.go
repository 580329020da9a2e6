package journal

import (
	"context"

	"dpukv/placement/submode/step"
)

// RemoveAbandoned removes the folders of dead owners whose network namespace is gone. Everything to
// undo went with the namespace.
func RemoveAbandoned(ctx context.Context, n step.Node) error {
	return removeAbandoned(ctx, n, &namespace{})
}

// RemoveAbandoned removes those folders beside this journal. This namespace owns only a folder with
// its mark, whatever the inode.
func (j *Journal) RemoveAbandoned(ctx context.Context) error {
	if j.ns == nil {
		return nil
	}
	return removeAbandoned(ctx, j.node, j.ns)
}

func removeAbandoned(ctx context.Context, n step.Node, here *namespace) error {
	_, err := n.Run(ctx, step.Shell(`
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
rmdir -p "$root" 2>/dev/null || :`, namespaces, here.inode, here.mark))
	if err != nil {
		return n.About("look for folders of dead owners", err)
	}
	return nil
}
