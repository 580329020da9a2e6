package testbed

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/cpu"
	"dpukv/internal/strictyaml"
	"dpukv/placement/launch"
	"dpukv/verbs/provider"
)

// nodeKey is one key of a node in a testbed file. Reading, writing and comparing go through this
// table.
type nodeKey struct {
	name string
	via  string // the only way for which it says something; "": all
	read func(*testbedReader, *Node, strictyaml.Entry)
	text func(*Node) string // as in a file; "": not said
}

var nodeKeys = []nodeKey{
	oneOf("kind", kinds, func(n *Node) *string { return &n.Kind }),
	named("of", "", func(n *Node) *string { return &n.Of }),
	oneOf("generation", generations, func(n *Node) *string { return &n.Generation }),
	oneOf("via", launch.Vias(), func(n *Node) *string { return &n.Via }),
	named("address", "", func(n *Node) *string { return &n.Address }),
	{"cpus", "", func(r *testbedReader, n *Node, e strictyaml.Entry) { n.CPUs = r.cpus(e) }, func(n *Node) string {
		if n.CPUs == nil {
			return ""
		}
		return strconv.Quote(cpu.FormatList(n.CPUs))
	}},
	{"rdma", "", func(r *testbedReader, n *Node, e strictyaml.Entry) { n.RDMA = r.rdma(e) }, func(n *Node) string { return n.RDMA.text() }},
	{"datapath", "", func(r *testbedReader, n *Node, e strictyaml.Entry) { n.Datapath = r.datapath(e) }, func(n *Node) string { return n.Datapath.text() }},
	named("binary", "", func(n *Node) *string { return &n.Binary }),

	named("namespace", launch.Netns, func(n *Node) *string { return &n.Namespace }),
	named("profile", launch.Netns, func(n *Node) *string { return &n.Profile }),

	named("host", launch.SSH, func(n *Node) *string { return &n.Host }),
	named("user", launch.SSH, func(n *Node) *string { return &n.User }),
	{
		"port", launch.SSH,
		func(r *testbedReader, n *Node, e strictyaml.Entry) {
			n.Port, _, _ = strictyaml.ReadValue(&r.File, e.Key, e.Value, strictyaml.Whole(1, 65535))
		},
		func(n *Node) string {
			if n.Port == 0 {
				return ""
			}
			return strconv.Itoa(n.Port)
		},
	},
	named("identity", launch.SSH, func(n *Node) *string { return &n.Identity }),
	named("jump", launch.SSH, func(n *Node) *string { return &n.Jump }),
	named("ssh_config", launch.SSH, func(n *Node) *string { return &n.SSHConfig }),
	named("known_hosts", launch.SSH, func(n *Node) *string { return &n.KnownHosts }),

	named("job", launch.Slurm, func(n *Node) *string { return &n.Job }),
	named("slurm_node", launch.Slurm, func(n *Node) *string { return &n.SlurmNode }),

	named("pod", launch.Kubectl, func(n *Node) *string { return &n.Pod }),
	named("container", launch.Kubectl, func(n *Node) *string { return &n.Container }),
	named("kube_namespace", launch.Kubectl, func(n *Node) *string { return &n.KubeNamespace }),
	named("kube_context", launch.Kubectl, func(n *Node) *string { return &n.KubeContext }),
}

func named(name, via string, in func(*Node) *string) nodeKey {
	return nodeKey{
		name, via,
		func(r *testbedReader, n *Node, e strictyaml.Entry) { *in(n) = r.text(e) },
		func(n *Node) string { return plain(*in(n)) },
	}
}

func oneOf(name string, words []string, in func(*Node) *string) nodeKey {
	return nodeKey{
		name, "",
		func(r *testbedReader, n *Node, e strictyaml.Entry) { *in(n) = r.word(e, words...) },
		func(n *Node) string { return *in(n) },
	}
}

// plain writes a word so that YAML reads it back. A word with a possible special meaning is quoted.
func plain(s string) string {
	for _, r := range s {
		if !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("._-/", r)) {
			return strconv.Quote(s)
		}
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil || s != "" && strings.ContainsRune("-.", rune(s[0])) {
		return strconv.Quote(s)
	}
	return s
}

// viaKeys returns the keys of a via.
func viaKeys(via string) []string {
	var names []string
	for i := range nodeKeys {
		if k := &nodeKeys[i]; k.via == "" || k.via == via {
			names = append(names, k.name)
		}
	}
	return names
}

var rdmaKeys = []string{"device", "gid_index", "mtu"}

// pathMTU is one of InfiniBand's five path MTUs.
var pathMTU = strictyaml.Codec[int]{
	Parse: func(s string) (int, error) {
		if !slices.Contains([]string{"256", "512", "1024", "2048", "4096"}, s) {
			return 0, strictyaml.ErrNotAllowed
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
			d.GIDIndex, _, _ = strictyaml.ReadValue(&r.File, field.Key, field.Value, strictyaml.Whole(0, 255))
		case "mtu":
			d.MTU, _, _ = strictyaml.ReadValue(&r.File, field.Key, field.Value, pathMTU)
		default:
			r.Unknown(field, rdmaKeys)
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
	if parts == nil {
		return ""
	}
	return "{" + strings.Join(parts, ", ") + "}"
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
