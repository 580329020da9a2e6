package launch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sshOptions override the user's configuration. OpenSSH 7.6 and later know them. A shared
// connection of the user (ControlPath) is used, as it may be the only one without a one-time
// password. The options of its creator decide how soon a silent connection is given up.
var sshOptions = []string{
	"BatchMode=yes",             // ssh asks nothing
	"StrictHostKeyChecking=yes", // an unknown key is an error
	"ConnectTimeout=10",         // seconds, for the connection and its banner
	// seconds of silence before ssh asks the server for a sign of life;
	"ServerAliveInterval=2",
	"ServerAliveCountMax=3",   // after so many unanswered requests, the connection is lost
	"ClearAllForwardings=yes", // two processes on a node cannot both have the user's port
	"RemoteCommand=none",      //
	"RequestTTY=no",           // bytes pass unchanged
	"ControlMaster=no",        // leave no shared connection behind
	"PermitLocalCommand=no",   //
	"LogLevel=INFO",           // the messages that Explain knows
}

var ssh = launcher{
	tool: "ssh", get: "install openssh-client",
	check: func(n *Node) error {
		switch {
		case n.Host == "" || strings.HasPrefix(n.Host, "-") ||
			strings.ContainsAny(n.Host, "'\"`$\\;&<>|(){} "):
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
		for _, f := range []field{
			{key: "identity", value: n.Identity},
			{key: "ssh_config", value: n.SSHConfig},
			{key: "known_hosts", value: n.KnownHosts},
		} {
			if _, err := os.Stat(atHome(f.value)); f.value != "" && err != nil {
				return n.errorf("found %s: %s, allowed: a file of this machine: %w", f.key, f.value,
					err)
			}
		}
		return nil
	},
	command: func(n *Node, argv []string) []string {
		if n.Sudo {
			argv = append([]string{"sudo", "-n", "--"}, argv...)
		}
		return append(sshTo(n), "exec "+quoteAll(argv))
	},
	troubles: sshTroubles,
}

// sshTo returns the ssh command without the remote command.
func sshTo(n *Node) []string {
	// Programs that ssh starts to reach a jump host lack its options but inherit its environment.
	// There, false answers their questions instead of a terminal.
	argv := []string{"env", "SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=force", "ssh"}
	for _, o := range sshOptions {
		argv = append(argv, "-o", o)
	}
	if n.shared != "" {
		argv = append(argv, "-o", "ControlPath="+strconv.Quote(n.shared))
	}
	return append(append(argv, sshWhere(n)...), "--", n.Host)
}

// sshWhere returns the options for the node's fields.
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
	if n.HostKeyAlias != "" {
		add("-o", "HostKeyAlias="+n.HostKeyAlias)
	}
	if n.KnownHosts != "" {
		add("-o", "UserKnownHostsFile="+strconv.Quote(atHome(n.KnownHosts)))
	}
	return argv
}

// atHome expands a leading ~ as a shell does.
func atHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	home, err := os.UserHomeDir()
	if !ok || err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

// quoteAll quotes argv for a shell.
func quoteAll(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = quote(a)
	}
	return strings.Join(words, " ")
}
