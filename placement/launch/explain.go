package launch

import (
	"cmp"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// trouble is a message of a tool when a command on a node cannot start, or cannot go on.
type trouble struct {
	says func() *regexp.Regexp // matches stderr
	// the cause and the remedy: $1 is the expression's first group, see also hints
	means string
}

// complete reports whether a match has all that the cause and the remedy quote. Without it, a
// sentence would have a hole.
func (t *trouble) complete(match []int) bool {
	for _, quoted := range quotedGroup.FindAllStringSubmatch(t.means, -1) {
		if i, err := strconv.Atoi(quoted[1]); err == nil && match[2*i] < 0 {
			return false
		}
	}
	return true
}

// quotedGroup matches $1 and the escaped $$, which has no number.
var quotedGroup = regexp.MustCompile(`\$(\$|\d)`)

// says compiles an expression when it is needed: all of them would take each start of dpukv
// milliseconds.
func says(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)` + expression) })
}

// Explained tells in a sentence why a command on a node failed.
type Explained struct {
	Node  string
	Means string
	Err   error // how the command ended
}

func (e *Explained) Error() string { return "node " + e.Node + ": " + e.Means }

// Unwrap returns how the command ended.
func (e *Explained) Unwrap() error { return e.Err }

// Explain tells why a command on the node failed, and what to do. It recognizes the last messages
// of the launcher's tool on stderr, and returns an [*Explained] then. Otherwise it returns err
// itself: the command failed for reasons of its own, or the reason is unknown.
func Explain(n *Node, stderr string, err error) error {
	return n.explain(stderr, err, everywhere)
}

// ExplainWay is Explain for another program than dpukv: it tells only why there is no way to the
// node.
func ExplainWay(n *Node, stderr string, err error) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if n.Via == SSH && !(ok && exit.ExitCode() == sshFailed) {
		return err
	}
	return n.explain(stderr, err, nil)
}

// sshFailed is ssh's exit status for a failure of its own.
const sshFailed = 255

func (n *Node) explain(stderr string, err error, more []trouble) error {
	l, ok := launchers[n.Via]
	if !ok || err == nil {
		return err
	}
	stderr = strings.ReplaceAll(stderr, "\r", "")
	for _, t := range slices.Concat(l.troubles, more) {
		if m := t.says().FindStringSubmatchIndex(stderr); m != nil && t.complete(m) {
			means := t.says().ExpandString(nil, t.means, stderr, m)
			return &Explained{n.Name, n.hints(string(means)), err}
		}
	}
	return err
}

// hints fills in the values of the node's fields.
func (n *Node) hints(means string) string {
	return strings.NewReplacer(
		"{host}", n.Host,
		"{ssh}", strings.Join(append(append([]string{"ssh"}, sshWhere(n)...), n.Host), " "),
		"{known_hosts}", cmp.Or(n.KnownHosts, "known_hosts"),
		"{job}", n.job(),
		"{pod}", n.Pod,
		"{slurm_node}", n.SlurmNode,
	).Replace(means)
}

// everywhere are the troubles with dpukv itself, in the words of shells and install.sh.
var everywhere = []trouble{
	{
		says(`No space left on device|Disk quota exceeded`),
		"there is no room for dpukv: make some in ~/.cache there, or set XDG_CACHE_HOME there to " +
			"another folder",
	},
	{
		says(`: Permission denied\ninstall\.sh: dpukv does not run`),
		"dpukv cannot be run from ~/.cache, whose file system is mounted noexec: set " +
			"XDG_CACHE_HOME there to another folder, or put dpukv there yourself and say where " +
			"with binary",
	},
	{
		says(`(?:mkdir|mktemp|touch|mv|cannot create|install\.sh).*: (Read-only file system|Permission denied|Not a directory)`),
		"dpukv cannot be stored in ~/.cache ($1): set XDG_CACHE_HOME there to a folder that can " +
			"be written, or put dpukv there yourself and say where with binary",
	},
	{
		says(`Exec format error|cannot execute binary file|syntax error: .* unexpected`),
		"the program there is for another architecture: remove binary, so that the right one is " +
			"copied, or put the right one there",
	},
	{
		says(`^\S*sh: (?:line )?\d+: (?:exec: )?(/\S+): (No such file or directory|not found|Permission denied)`),
		"$1 cannot be run there ($2): put dpukv there, or remove binary, so that it is copied",
	},
}
