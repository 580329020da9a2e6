package launch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sshOptions hold over the user's configuration. They are known to OpenSSH 7.6 and later. A connection that the user
// shares (ControlPath) is used, as it may be the only one without a one-time password; how soon it
// is given up when nothing answers, is up to whoever made it.
var sshOptions = []string{
	"BatchMode=yes",             // nothing is asked
	"StrictHostKeyChecking=yes", // an unknown key is nothing to wave through
	"ConnectTimeout=10",         // seconds, for the connection and its first words
	"ServerAliveInterval=2",     // seconds of silence until the other end is asked for a sign of life;
	"ServerAliveCountMax=3",     // so many without an answer, and the connection is lost
	"ClearAllForwardings=yes",   // two processes on a node cannot both have the user's port
	"RemoteCommand=none",        //
	"RequestTTY=no",             // bytes pass unchanged
	"ControlMaster=no",          // none is left behind that others could share
	"PermitLocalCommand=no",     //
	"LogLevel=INFO",             // the words that Explain knows
}

var ssh = launcher{
	tool: "ssh", get: "install openssh-client",
	check: func(n *Node) error {
		switch {
		case n.Host == "" || strings.HasPrefix(n.Host, "-") || strings.ContainsAny(n.Host, "'\"`$\\;&<>|(){} "):
			return n.found("host", n.Host, "a name, an address, or a Host of ~/.ssh/config")
		case strings.HasPrefix(n.User, "-"):
			return n.found("user", n.User, "a login name")
		case strings.HasPrefix(n.Jump, "-"):
			return n.found("jump", n.Jump, "[user@]host[:port], and more after commas")
		case n.Port < 0 || n.Port > 65535:
			return n.found("port", strconv.Itoa(n.Port), "1 to 65535")
		}
		return nil
	},
	ready: func(n *Node) error {
		for _, f := range []field{{key: "identity", value: n.Identity}, {key: "ssh_config", value: n.SSHConfig}, {key: "known_hosts", value: n.KnownHosts}} {
			if _, err := os.Stat(atHome(f.value)); f.value != "" && err != nil {
				return n.errorf("found %s: %s, allowed: a file of this machine: %w", f.key, f.value, err)
			}
		}
		return nil
	},
	command: func(n *Node, argv []string) []string {
		return append(sshTo(n), "exec "+quoteAll(argv))
	},
	troubles: sshTroubles,
}

// sshTo is the command without what is to run.
func sshTo(n *Node) []string {
	// Programs that ssh starts to reach a jump host have none of its options, but its environment: they
	// get false for an answer to whatever they ask, instead of a terminal.
	argv := []string{"env", "SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=force", "ssh"}
	for _, o := range sshOptions {
		argv = append(argv, "-o", o)
	}
	return append(append(argv, sshWhere(n)...), "--", n.Host)
}

// sshWhere are the options that the node's fields ask for.
func sshWhere(n *Node) (argv []string) {
	add := func(option, value string) {
		if value != "" {
			argv = append(argv, option, value)
		}
	}
	add("-F", atHome(n.SSHConfig))
	add("-l", n.User)
	if n.Port != 0 {
		add("-p", strconv.Itoa(n.Port))
	}
	add("-i", atHome(n.Identity))
	add("-J", n.Jump)
	if n.KnownHosts != "" {
		add("-o", "UserKnownHostsFile="+strconv.Quote(atHome(n.KnownHosts)))
	}
	return argv
}

// atHome replaces the ~ that a shell would have replaced.
func atHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	home, err := os.UserHomeDir()
	if !ok || err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

// quoteAll writes argv for a shell.
func quoteAll(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = quote(a)
	}
	return strings.Join(words, " ")
}
