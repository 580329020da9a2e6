package testbed

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/cpu"
	"dpukv/internal/field"
	"dpukv/internal/ports"
	"dpukv/internal/strictyaml"
	"dpukv/placement/launch"
	"dpukv/verbs/provider"
)

// nodeKey is one key of a node in a testbed file. Reading, writing and comparing go through this
// table.
type nodeKey struct {
	Key
	read func(*testbedReader, *Node, strictyaml.Entry)
	text func(*Node) string // as in a file; "": not said
}

var nodeKeys = []nodeKey{
	oneOf("kind", kinds, func(n *Node) *string { return &n.Kind }).
		means("Kind of machine.", "", "host", "dpu"),
	named("of", "", func(n *Node) *string { return &n.Of }).
		means("Host that contains this DPU.",
			"a node of kind host", "required for a DPU", "hostA"),
	oneOf("generation", generations, func(n *Node) *string { return &n.Generation }).
		means("Generation of a BlueField DPU.", "", "none", "bf3"),
	oneOf("via", launch.Vias(), func(n *Node) *string { return &n.Via }).
		means("Method by which dpukv starts processes on the node.", "", "local", "ssh"),
	named("address", "", func(n *Node) *string { return &n.Address }).
		means("Address at which the other nodes reach this node.",
			"an address or a name; an IPv4 address for softroce",
			"127.0.0.1 with via: local; none for an emulated machine; else required",
			"10.10.10.1"),
	newKey("ports", "",
		func(r *testbedReader, n *Node, e strictyaml.Entry) { n.Ports = r.ports(e) },
		func(n *Node) string {
			if n.Ports.Any() {
				return ""
			}
			return n.Ports.String()
		}).
		means("TCP ports for the servers on this node, behind a firewall.",
			portRange.Allowed, "the testbed's", "7000-7100"),
	newKey("cpus", "",
		func(r *testbedReader, n *Node, e strictyaml.Entry) { n.CPUs = r.cpus(e) },
		func(n *Node) string {
			if n.CPUs == nil {
				return ""
			}
			return strconv.Quote(cpu.FormatList(n.CPUs))
		}).
		means("CPUs for the processes on this node.",
			"a list of CPUs", "chosen by dpukv", `"0-3"`),
	newKey("rdma", "",
		func(r *testbedReader, n *Node, e strictyaml.Entry) { n.RDMA = r.rdma(e) },
		func(n *Node) string { return n.RDMA.text() }).
		means("RDMA device of the node.", "a mapping: see below", "none", "{device: mlx5_0}"),
	newKey("modes", "",
		func(r *testbedReader, n *Node, e strictyaml.Entry) { n.Modes = r.modes(e) },
		(*Node).modesText).
		means("Address and RDMA device in a mode of the host's card, where they differ.",
			"a mapping: see below", "the same in all modes",
			"{dpu: {address: 10.10.10.12, rdma: {device: mlx5_2}}}"),
	newKey("datapath", "",
		func(r *testbedReader, n *Node, e strictyaml.Entry) { n.Datapath = r.datapath(e) },
		func(n *Node) string { return n.Datapath.text() }).
		means("On-path datapath of a DPU.",
			"a mapping: see below", "none", "{target: linux, sm1: bridge}"),
	named("binary", "", func(n *Node) *string { return &n.Binary }).
		means("Path of dpukv on the node.",
			"an absolute path", "dpukv copies its own binary", "/opt/dpukv/dpukv"),

	named("namespace", launch.Netns, func(n *Node) *string { return &n.Namespace }).
		means("Existing network namespace of the node. Without it, the node is emulated.",
			"a name, as in ip netns exec", "none", "lab1"),
	named("profile", launch.Netns, func(n *Node) *string { return &n.Profile }).
		means("Model of an emulated machine's CPU cores.",
			"bf1, bf2, bf3, none, or the path of a profile",
			"the generation of a DPU; none for a host", "bf2"),

	named("host", launch.SSH, func(n *Node) *string { return &n.Host }).
		means("Host to connect to.",
			"a name, an address, or a Host of the ssh configuration", "the address", "a.lab"),
	named("user", launch.SSH, func(n *Node) *string { return &n.User }).
		means("Login name.", "a word", "as ssh chooses", "ubuntu"),
	newKey("port", launch.SSH,
		func(r *testbedReader, n *Node, e strictyaml.Entry) {
			n.Port, _, _ = strictyaml.ReadValue(&r.File, e.Key, e.Value, field.Whole(1, 65535))
		},
		func(n *Node) string {
			if n.Port == 0 {
				return ""
			}
			return strconv.Itoa(n.Port)
		}).
		means("TCP port of the ssh server.",
			"a whole number from 1 to 65535", "as ssh chooses", "2222"),
	named("identity", launch.SSH, func(n *Node) *string { return &n.Identity }).
		means("File of the private key.", "a path", "as ssh chooses", "/home/me/.ssh/lab"),
	named("jump", launch.SSH, func(n *Node) *string { return &n.Jump }).
		means("Hosts on the way, as in ProxyJump.",
			"[user@]host[:port], more after commas", "none", "a.lab"),
	named("ssh_config", launch.SSH, func(n *Node) *string { return &n.SSHConfig }).
		means("Configuration file of ssh.", "a path", "~/.ssh/config", "/home/me/lab.conf"),
	named("known_hosts", launch.SSH, func(n *Node) *string { return &n.KnownHosts }).
		means("File of known host keys.", "a path", "~/.ssh/known_hosts", "/home/me/lab.hosts"),
	newKey("sudo", launch.SSH,
		func(r *testbedReader, n *Node, e strictyaml.Entry) {
			n.Sudo = r.word(e, "true", "false") == "true"
		},
		func(n *Node) string {
			if n.Sudo {
				return "true"
			}
			return ""
		}).
		means("Run everything on the node as root, by sudo -n. Steps on a BlueField need root.",
			"true, false", "false", "true"),

	named("job", launch.Slurm, func(n *Node) *string { return &n.Job }).
		means("Slurm allocation that has the node.",
			"a job number", "the allocation that the sweep runs in", `"12345"`),
	named("slurm_node", launch.Slurm, func(n *Node) *string { return &n.SlurmNode }).
		means("Node of the allocation.",
			"one node name, as sinfo shows it", "required", "node1"),

	named("pod", launch.Kubectl, func(n *Node) *string { return &n.Pod }).
		means("Pod that is the node.", "a name, as kubectl get shows it", "required", "dpukv-a"),
	named("container", launch.Kubectl, func(n *Node) *string { return &n.Container }).
		means("Container of the pod.",
			"a name, as kubectl get shows it", "as kubectl chooses", "main"),
	named("kube_namespace", launch.Kubectl, func(n *Node) *string { return &n.KubeNamespace }).
		means("Namespace of the pod.",
			"a name, as kubectl get shows it", "as kubectl chooses", "lab"),
	named("kube_context", launch.Kubectl, func(n *Node) *string { return &n.KubeContext }).
		means("Context of kubectl.", "a word", "as kubectl chooses", "lab-admin"),
}

func newKey(
	name, via string, read func(*testbedReader, *Node, strictyaml.Entry), text func(*Node) string,
) nodeKey {
	return nodeKey{Key{Name: name, Via: via}, read, text}
}

// means gives the key its description: see [Key]. An empty allowed leaves it as it is.
func (k nodeKey) means(help, allowed, preset, example string) nodeKey {
	k.Help, k.Allowed = help, cmp.Or(allowed, k.Allowed)
	k.Default, k.Example = preset, example
	return k
}

func named(name, via string, in func(*Node) *string) nodeKey {
	return newKey(name, via,
		func(r *testbedReader, n *Node, e strictyaml.Entry) { *in(n) = r.text(e) },
		func(n *Node) string { return plain(*in(n)) })
}

func oneOf(name string, words []string, in func(*Node) *string) nodeKey {
	k := newKey(name, "",
		func(r *testbedReader, n *Node, e strictyaml.Entry) { *in(n) = r.word(e, words...) },
		func(n *Node) string { return *in(n) })
	k.Allowed = strings.Join(words, ", ")
	return k
}

// plain writes a word so that YAML reads it back. A word with a possible special meaning is quoted.
func plain(s string) string {
	for _, r := range s {
		if !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' ||
			strings.ContainsRune("._-/", r)) {
			return strconv.Quote(s)
		}
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil || s != "" &&
		strings.ContainsRune("-.", rune(s[0])) {
		return strconv.Quote(s)
	}
	return s
}

// viaKeys returns the keys of a via.
func viaKeys(via string) []string {
	var names []string
	for i := range nodeKeys {
		if k := &nodeKeys[i]; k.Via == "" || k.Via == via {
			names = append(names, k.Name)
		}
	}
	return names
}

var rdmaKeys = []Key{
	{
		Name: "device", Help: "Device for verbs.",
		Allowed: "a NIC (mlx5_0, or mlx5_0/2 for its second port), softroce, softroce:ADDRESS, " +
			"shm (with via: local only)",
		Default: "shm if all nodes of the placement are via: local; softroce if all are on this " +
			"machine; else required",
		Example: "mlx5_0",
	},
	{
		Name: "gid_index", Help: "Index into the port's GID table.", Allowed: gidIndex.Allowed,
		Default: "chosen: RoCE v2 over IPv4 first", Example: "3",
	},
	{
		Name: "mtu", Help: "Path MTU, in bytes.", Allowed: pathMTU.Allowed,
		Default: "the port's", Example: "1024",
	},
}

var gidIndex = field.Whole(0, 255)

// pathMTU is one of InfiniBand's five path MTUs.
var pathMTU = field.Codec[int]{
	Parse: func(s string) (int, error) {
		if !slices.Contains([]string{"256", "512", "1024", "2048", "4096"}, s) {
			return 0, field.ErrNotAllowed
		}
		return strconv.Atoi(s)
	},
	Format:  strconv.Itoa,
	Allowed: "256, 512, 1024, 2048, 4096",
	Number:  true,
}

func (r *testbedReader) rdma(e strictyaml.Entry) RDMA {
	d := RDMA{Options: provider.Defaults}
	for _, field := range r.Mapping("rdma", e.Value) {
		switch field.Key {
		case "device":
			d.Device = r.text(field)
		case "gid_index":
			d.GIDIndex, _, _ = strictyaml.ReadValue(&r.File, field.Key, field.Value, gidIndex)
		case "mtu":
			d.MTU, _, _ = strictyaml.ReadValue(&r.File, field.Key, field.Value, pathMTU)
		default:
			r.Unknown(field, keyNames(rdmaKeys))
		}
	}
	return d
}

func (d *RDMA) text() string {
	var parts []string
	if d.Device != "" {
		parts = append(parts, "device: "+plain(d.Device))
	}
	if d.GIDIndex != provider.Defaults.GIDIndex {
		parts = append(parts, fmt.Sprintf("gid_index: %d", d.GIDIndex))
	}
	if d.MTU != provider.Defaults.MTU {
		parts = append(parts, fmt.Sprintf("mtu: %d", d.MTU))
	}
	return mapping(parts)
}

// mapping writes keys and values in the form of a file; "" for none.
func mapping(fields []string) string {
	if fields == nil {
		return ""
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// portRange is a range of ports.
var portRange = field.Codec[ports.Range]{
	Parse: func(s string) (ports.Range, error) {
		r, err := ports.Parse(s)
		if err != nil || r.Any() {
			return r, field.ErrNotAllowed
		}
		return r, nil
	},
	Format:  ports.Range.String,
	Allowed: "FIRST-LAST, of 1 to 65535",
}

func (r *testbedReader) ports(e strictyaml.Entry) ports.Range {
	p, _, _ := strictyaml.ReadValue(&r.File, e.Key, e.Value, portRange)
	return p
}

func (r *testbedReader) cpus(e strictyaml.Entry) []int {
	text := r.text(e)
	if text == "" {
		return nil
	}
	cpus, err := cpu.ParseList(text)
	if err != nil {
		r.Fault(r.Place(e.Value), "cpus: %v", err)
	}
	slices.Sort(cpus)
	return slices.Compact(cpus)
}
