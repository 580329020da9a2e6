package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

var argv = []string{"/opt/dpukv", "node", "a b"}

func TestCommand(t *testing.T) {
	t.Setenv("SLURM_JOB_ID", "17")
	t.Setenv("HOME", "/home/me")
	const opts = "env SSH_ASKPASS=false SSH_ASKPASS_REQUIRE=force ssh -o BatchMode=yes -o StrictHostKeyChecking=yes"
	const srun = "--overlap --nodes=1 --ntasks=1 --cpu-bind=none --mpi=none --immediate=10 --chdir=/ --nodelist=bf01 " +
		"-- /opt/dpukv node a b"
	for _, tc := range []struct {
		name string
		node Node
		want string // the command's words; "…" is anything
	}{
		{"local", Node{Via: Local}, "/opt/dpukv node a b"},
		{"namespace", Node{Via: Netns, Namespace: "hostA"}, "ip netns exec hostA /opt/dpukv node a b"},
		{
			"prefix",
			Node{Via: Netns, Prefix: []string{"nsenter", "--net=/proc/7/ns/net"}},
			"nsenter --net=/proc/7/ns/net /opt/dpukv node a b",
		},
		{
			"ssh, at home",
			Node{Via: SSH, Host: "bf3", Identity: "~/.ssh/key"},
			opts + "… -i /home/me/.ssh/key -- bf3 exec /opt/dpukv node 'a b'",
		},
		{"ssh", Node{Via: SSH, Host: "bf3"}, opts + "… -- bf3 exec /opt/dpukv node 'a b'"},
		{
			"ssh, all fields",
			Node{
				Via: SSH, Host: "fe80::1%eth0", User: "ubuntu", Port: 2222, Identity: "/k", Jump: "me@host:22,b",
				SSHConfig: "/c", KnownHosts: `/known hosts`,
			},
			opts + `… -F /c -l ubuntu -p 2222 -i /k -J me@host:22,b -o UserKnownHostsFile="/known hosts" -- fe80::1%eth0 exec /opt/dpukv node 'a b'`,
		},
		{"slurm", Node{Via: Slurm, Job: "42", SlurmNode: "bf01"}, "srun --jobid=42 " + srun},
		{"slurm, job of the environment", Node{Via: Slurm, SlurmNode: "bf01"}, "srun --jobid=17 " + srun},
		{"kubectl", Node{Via: Kubectl, Pod: "kv-0"}, "kubectl exec --stdin kv-0 -- /opt/dpukv node a b"},
		{
			"kubectl, all fields",
			Node{Via: Kubectl, Pod: "kv-0", Container: "c", KubeNamespace: "ns", KubeContext: "ctx"},
			"kubectl exec --stdin --context=ctx --namespace=ns --container=c kv-0 -- /opt/dpukv node a b",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := must.Get(Command(&tc.node, argv))(t)
			begin, end, cut := strings.Cut(tc.want, "…")
			line := strings.Join(got, " ")
			if !strings.HasPrefix(line, begin) || !strings.HasSuffix(line, end) || !cut && line != tc.want {
				t.Errorf("found  %s\nwanted %s", line, tc.want)
			}
		})
	}
}

func TestFieldsAreChecked(t *testing.T) {
	for _, tc := range []struct {
		node Node
		want string
	}{
		{Node{Via: "telnet"}, `node n: via: found "telnet", allowed: local, netns, ssh, slurm, kubectl`},
		{
			Node{Via: SSH},
			"node n: found no host, allowed with via: ssh: a name, an address, or a Host of ~/.ssh/config",
		},
		{Node{Via: SSH, Host: "-oProxyCommand=x"}, "node n: found host: -oProxyCommand=x, allowed: a name"},
		{Node{Via: SSH, Host: "a;b"}, "node n: found host: a;b, allowed"},
		{Node{Via: SSH, Host: "a\nb"}, `node n: found host: "a\nb", allowed: printable`},
		{Node{Via: SSH, Host: "a", Port: 65536}, "node n: found port: 65536, allowed: 1 to 65535"},
		{Node{Via: SSH, Host: "a", User: "-x"}, "node n: found user: -x, allowed"},
		{Node{Via: SSH, Host: "a", Jump: "-x"}, "node n: found jump: -x, allowed"},
		{
			Node{Via: SSH, Host: "a", Pod: "p"},
			"node n: found pod: p, allowed with via: ssh: host, user, port, identity, jump, ssh_config, known_hosts",
		},
		{
			Node{Via: SSH, Host: "a", Binary: "bin/dpukv"},
			"node n: found binary: bin/dpukv, allowed: its absolute path there",
		},
		{Node{Via: Local, Host: "a"}, "node n: found host: a, allowed with via: local: none of its kind"},
		{Node{Via: Netns}, `node n: found namespace: "" and prefix: [], allowed: one of them`},
		{Node{Via: Netns, Namespace: "../a"}, "node n: found namespace: ../a, allowed: a name in /var/run/netns"},
		{Node{Via: Slurm}, "node n: found no slurm_node, allowed with via: slurm: the name of one node"},
		{Node{Via: Slurm, SlurmNode: "bf[1-2]"}, "node n: found slurm_node: bf[1-2], allowed: the name of one node"},
		{Node{Via: Slurm, SlurmNode: "bf1", Job: "-1"}, "node n: found job: -1, allowed: the number"},
		{Node{Via: Kubectl}, "node n: found no pod, allowed with via: kubectl: a name"},
		{Node{Via: Kubectl, Pod: "deploy/kv"}, "node n: found pod: deploy/kv, allowed: a name"},
		{Node{Via: Kubectl, Pod: "p", Container: "-c"}, "node n: found container: -c, allowed"},
	} {
		tc.node.Name = "n"
		for what, err := range map[string]error{"Command": second(Command(&tc.node, argv)), "Check": Check(&tc.node)} {
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("%s of %+v\nfound  %v\nwanted %s", what, tc.node, err, tc.want)
			}
		}
	}
}

func second[A, B any](_ A, b B) B { return b }

func TestCommandsAreChecked(t *testing.T) {
	for _, argv := range [][]string{nil, {""}, {"-x"}, {"a", "b\x00c"}} {
		if got, err := Command(&Node{Name: "n", Via: Local}, argv); err == nil {
			t.Errorf("%q became %q, wanted an error", argv, got)
		}
	}
}

// TestKubectlTakesUTF8: Kubernetes fails with other arguments, and does not name them.
func TestKubectlTakesUTF8(t *testing.T) {
	n := &Node{Name: "n", Via: Kubectl, Pod: "kv-0"}
	must.Get(Command(n, []string{"cat", "ä€😀"}))(t)
	want := `node n: found the argument "a\xff", allowed with via: kubectl: valid UTF-8`
	if _, err := Command(n, []string{"cat", "a\xff"}); err == nil || err.Error() != want {
		t.Errorf("found  %v\nwanted %s", err, want)
	}
}

func TestCheck(t *testing.T) {
	t.Setenv("SLURM_JOB_ID", "")
	t.Setenv("PATH", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	expect := func(n Node, want string) {
		t.Helper()
		n.Name = "n"
		must.Fail(t, Check(&n), want)
	}
	expect(Node{Via: Local}, "")
	expect(Node{Via: Netns, Prefix: []string{"enter"}}, "")
	expect(Node{Via: Netns, Namespace: "a"},
		"needs the program ip, which is not in the PATH of this machine: install iproute2")
	expect(Node{Via: SSH, Host: "a"}, "needs the program ssh")
	expect(Node{Via: Slurm, SlurmNode: "a"}, "needs the program srun")
	expect(Node{Via: Kubectl, Pod: "a"}, "needs the program kubectl")
	for _, tool := range []string{"ip", "ssh", "srun", "kubectl"} {
		must.Do(t, os.WriteFile(filepath.Join(os.Getenv("PATH"), tool), nil, 0o755))
	}
	expect(Node{Via: Netns, Namespace: "dpukv-never"}, "there is no network namespace dpukv-never")
	expect(Node{Via: SSH, Host: "a"}, "")
	expect(Node{Via: SSH, Host: "a", Identity: "/dev/null", KnownHosts: "/dev/null", SSHConfig: "/dev/null"}, "")
	expect(Node{Via: SSH, Host: "a", Identity: "~/no/key"},
		"found identity: ~/no/key, allowed: a file of this machine: stat "+os.Getenv("HOME")+"/no/key: no such file")
	expect(Node{Via: SSH, Host: "a", SSHConfig: "/no/config"}, "found ssh_config: /no/config, allowed: a file")
	expect(Node{Via: SSH, Host: "a", KnownHosts: "/no/hosts"}, "found known_hosts: /no/hosts, allowed: a file")
	expect(Node{Via: Slurm, SlurmNode: "a"}, "there is no allocation")
	expect(Node{Via: Slurm, SlurmNode: "a", Job: "1"}, "")
	expect(Node{Via: Kubectl, Pod: "a"}, "")
}
