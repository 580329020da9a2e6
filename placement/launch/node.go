package launch

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The ways to start programs on a node.
const (
	Local   = "local"
	Netns   = "netns"
	SSH     = "ssh"
	Slurm   = "slurm"
	Kubectl = "kubectl"
)

// Vias returns the ways to start programs.
func Vias() []string { return []string{Local, Netns, SSH, Slurm, Kubectl} }

// Node says where programs run. Only the fields of its Via may be set: see [Fields].
type Node struct {
	Name string // for errors
	Via  string // Local, Netns, SSH, Slurm, Kubectl

	// netns: one of the two.
	Namespace string   // as in ip netns exec
	Prefix    []string // a command that runs its arguments in the namespace

	// ssh: the user's configuration decides empty fields.
	Host     string // a name, an address, or a Host of the configuration; required
	User     string
	Port     int
	Identity string // file of a private key
	// [user@]host[:port],… as in ProxyJump. Its own keys and host keys come from the configuration
	Jump       string
	SSHConfig  string // instead of ~/.ssh/config
	KnownHosts string // instead of ~/.ssh/known_hosts
	// HostKeyAlias is the name of the host's key in the known hosts; "": Host. It is needed where
	// two machines have one Host behind different jumps.
	HostKeyAlias string
	Sudo         bool // programs run as root there, by sudo -n

	// slurm
	Job       string // the allocation; "": the one this process runs in (SLURM_JOB_ID)
	SlurmNode string // its node; required

	// kubectl
	Pod           string // required
	Container     string
	KubeNamespace string
	KubeContext   string

	Binary string // absolute path of dpukv there; "": see Install

	shared string // the socket of a connection: see Share
}

// field is a field that only one via has.
type field struct {
	via, key, value string
}

func (n *Node) fields() []field {
	port := ""
	if n.Port != 0 {
		port = strconv.Itoa(n.Port)
	}
	sudo := ""
	if n.Sudo {
		sudo = "true"
	}
	return []field{
		{Netns, "namespace", n.Namespace},
		{Netns, "prefix", strings.Join(n.Prefix, " ")},
		{SSH, "host", n.Host},
		{SSH, "user", n.User},
		{SSH, "port", port},
		{SSH, "identity", n.Identity},
		{SSH, "jump", n.Jump},
		{SSH, "ssh_config", n.SSHConfig},
		{SSH, "known_hosts", n.KnownHosts},
		{SSH, "sudo", sudo},
		{Slurm, "job", n.Job},
		{Slurm, "slurm_node", n.SlurmNode},
		{Kubectl, "pod", n.Pod},
		{Kubectl, "container", n.Container},
		{Kubectl, "kube_namespace", n.KubeNamespace},
		{Kubectl, "kube_context", n.KubeContext},
	}
}

// Fields returns the names of a via's fields, as its errors and testbed files write them.
func Fields(via string) (names []string) {
	for _, f := range new(Node).fields() {
		if f.via == via {
			names = append(names, f.key)
		}
	}
	return names
}

// validate returns the launcher of the node, if the node's fields make sense.
func (n *Node) validate() (*launcher, error) {
	l, ok := launchers[n.Via]
	if !ok {
		return nil, n.errorf("via: found %q, allowed: %s", n.Via, strings.Join(Vias(), ", "))
	}
	var errs []error
	for _, f := range n.fields() {
		switch {
		case f.value != "" && f.via != n.Via:
			errs = append(errs, n.errorf("found %s: %s, allowed with via: %s: %s", f.key, f.value,
				n.Via,
				cmp.Or(strings.Join(Fields(n.Via), ", "), "none of its kind")))
		case strings.ContainsFunc(f.value, unprintable):
			errs = append(errs, n.errorf("found %s: %q, allowed: printable characters", f.key,
				f.value))
		}
	}
	if n.Binary != "" && !strings.HasPrefix(n.Binary, "/") {
		errs = append(errs, n.errorf("found binary: %s, allowed: its absolute path there",
			n.Binary))
	}
	errs = append(errs, l.check(n))
	return l, errors.Join(errs...)
}

func unprintable(r rune) bool { return !strconv.IsPrint(r) }

func (n *Node) errorf(format string, args ...any) error {
	return fmt.Errorf("node %s: %w", n.Name, fmt.Errorf(format, args...))
}

// found returns the error for the value of a field.
func (n *Node) found(key, value, allowed string) error {
	if value == "" {
		return n.errorf("found no %s, allowed with via: %s: %s", key, n.Via, allowed)
	}
	return n.errorf("found %s: %s, allowed: %s", key, value, allowed)
}
