package submodetool

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"

	"dpukv/placement/submode"
	"dpukv/placement/submode/step"
	"dpukv/placement/testbed"
)

// folders of programs on a card's image that are not in /usr/bin. sudo compares files, so the
// merged folders of newer images are meant, too.
var folders = map[string]string{
	"sh": "/bin", "cat": "/bin", "ip": "/sbin", "tc": "/sbin", "ethtool": "/sbin",
	"devlink": "/sbin",
}

const sudoersHead = `# Commands that dpukv %s runs as root on the cards of %s, with sudo: true and without
# filters. Install it on each card: visudo -f /etc/sudoers.d/dpukv. Generate it anew for each version.
# * stands for what a command finds there, ? for the end of a line in a script.
#
# It does not allow dpukv itself: its processes on the card, testbed check --card, and the timer of
# apply --for. For those, install dpukv on the card where only root may write, name it as binary in
# the testbed, and add: %s ALL=(root) NOPASSWD: /usr/local/bin/dpukv
# The timer runs as root what the journal in /var/lib/dpukv says, which these commands may write.
`

// Sudoers writes a sudoers file for the cards of a testbed: the commands of all submodes.
func Sudoers(w io.Writer, bed *testbed.Testbed, version string) error {
	var b bytes.Buffer
	users := map[string]bool{}
	var rules []string
	seen := map[string]bool{}
	for i := range bed.Nodes {
		n := &bed.Nodes[i]
		if n.Kind != testbed.KindDPU || n.Target() != submode.BlueField || !n.Sudo {
			continue
		}
		commands, err := n.Rights()
		if err != nil {
			return fmt.Errorf("%snode %s: %w", bed.Place(n.Name), n.Name, err)
		}
		user := cmp.Or(n.User, "ubuntu")
		if !users[user] {
			users[user] = true
			fmt.Fprintf(&b, sudoersHead, version, path.Base(bed.Name), user)
		}
		for _, argv := range commands {
			if rule := user + " ALL=(root) NOPASSWD: " + sudoersCommand(argv); !seen[rule] {
				seen[rule] = true
				rules = append(rules, rule)
			}
		}
	}
	if len(rules) == 0 {
		return fmt.Errorf("%s: found no card with sudo: true, allowed: one or more; without it "+
			"nothing is run by sudo", bed.Name)
	}
	b.WriteString(strings.Join(rules, "\n") + "\n")
	_, err := w.Write(b.Bytes())
	return err
}

// sudoersCommand writes a command as sudoers has it: a pattern of fnmatch over all arguments, in
// which sudoers' own special characters have another backslash.
func sudoersCommand(argv []string) string {
	words := []string{cmp.Or(folders[argv[0]], "/usr/bin") + "/" + argv[0]}
	for _, arg := range argv[1:] {
		if arg == step.AsFound {
			words = append(words, "*")
			continue
		}
		words = append(words, escape.Replace(arg))
	}
	return strings.Join(words, " ")
}

var escape = strings.NewReplacer(
	`\`, `\\\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "!", `\!`, "^", `\^`,
	":", `\:`, ",", `\,`, "=", `\=`, "#", `\#`, "\t", "\\\t", "\n", "?", "  ", ` \ `,
)
