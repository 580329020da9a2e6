package launch

import (
	"errors"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
)

var errStatus = errors.New("exit status 255")

// TestExplain has, in the tools' words, the errors that the tests with real servers cannot produce.
func TestExplain(t *testing.T) {
	bf := Node{Name: "bf", Via: SSH, Host: "bf"}
	step := Node{Name: "bf", Via: Slurm, Job: "7", SlurmNode: "bf01"}
	pod := Node{Name: "bf", Via: Kubectl, Pod: "kv-0"}
	for _, tc := range []struct {
		node         Node
		stderr, want string
	}{
		{
			bf, "ssh: connect to host 192.168.100.2 port 22: No route to host\r\n",
			"192.168.100.2 is not reached by ssh at port 22 (No route to host)",
		},
		{
			bf, "ssh: connect to host bf port 22: Connection timed out",
			"bf is not reached by ssh at port 22 (Connection timed out)",
		},
		{
			bf, "channel 0: open failed: administratively prohibited: open failed\nstdio forwarding failed\n",
			"the jump host does not get through to bf: administratively prohibited",
		},
		{
			bf, "kex_exchange_identification: read: Connection reset by peer\nConnection reset by 10.0.0.1 port 22",
			"bf ended the connection before anybody logged in (read: Connection reset by peer)",
		},
		{
			bf, "Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures\nDisconnected",
			"bf gave up after too many of your keys",
		},
		{
			bf, "Unable to negotiate with 10.0.0.1 port 22: no matching host key type found. Their offer: ssh-rsa",
			"bf and the ssh client here have no algorithm in common (no matching",
		},
		{
			bf, "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nsomething new",
			"the host key of bf is not the one that is known in known_hosts: somebody may sit in between",
		},
		{bf, "client_loop: send disconnect: Broken pipe\r\n", "bf closed the connection"},
		{bf, "Bad owner or permissions on /root/.ssh/config", "ssh does not trust its configuration (Bad owner"},
		{bf, "me@bf: Permission denied (publickey,gssapi-with-mic,password).", "me@bf wants a password"},
		{
			bf, "You are required to change your password immediately (administrator enforced).\n",
			"bf wants a new password at the first log-in",
		},
		{bf, "sh: 1: exec: /opt/dpukv: not found", "/opt/dpukv cannot be run there (not found): put dpukv there"},
		{bf, "bash: line 1: /opt/dpukv: Permission denied", "/opt/dpukv cannot be run there (Permission denied)"},
		{
			step, "srun: error: Unable to create step for job 7: Requested nodes are busy",
			"allocation 7 lets nothing run on bf01 (Requested nodes are busy)",
		},
		{
			step, "srun: error: Unable to create step for job 7: Job/step already completing or completed",
			"allocation 7 lets nothing run on bf01 (Job/step already",
		},
		{
			step, "srun: error: Unable to allocate resources: Unable to contact slurm controller (connect failure)",
			"Slurm's controller does not answer (connect failure)",
		},
		{step, "srun: error: Node failure on bf01", "Slurm lost the node bf01"},
		{
			step, "slurmstepd-bf01: error: *** STEP 7.0 ON bf01 CANCELLED AT 2025-01-01T00:00:00 DUE TO TIME LIMIT ***",
			"Slurm ended what ran on bf01 (step 7.0 DUE TO TIME LIMIT)",
		},
		{
			pod, `Error from server (NotFound): pods "kv-0" not found`,
			`Kubernetes has no such thing: pods "kv-0" not found`,
		},
		{
			pod, `Error from server (Forbidden): pods "kv-0" is forbidden: no`,
			`Kubernetes forbids it: pods "kv-0" is forbidden`,
		},
		{
			pod, "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
			"Kubernetes does not answer at localhost:8080: is the right context",
		},
		{
			pod, "Error from server (BadRequest): container side is not valid for pod kv-0",
			"the container cannot be entered: container side is not valid for pod kv-0; kubectl describe pod kv-0",
		},
		{
			pod, "command terminated with exit code 137",
			"the program was killed in the pod (exit status 137): kubectl describe pod kv-0",
		},
		{pod, `OCI runtime exec failed: exec failed: unable to start container process: exec: "sh": executable file not found in $PATH: unknown`, "the container has no program sh"},
		{
			pod, "error: unable to upgrade connection: container not found (\"c\")",
			`the container cannot be entered: container not found ("c")`,
		},
	} {
		err := Explain(&tc.node, tc.stderr, errStatus)
		expectExplained(t, err, "node bf: "+tc.want)
		if !errors.Is(err, errStatus) {
			t.Errorf("%v does not hold how the command ended", err)
		}
	}
}

// TestLongOutputIsCutVisibly: both ends of a long output are there, and the cut says what is missing.
func TestLongOutputIsCutVisibly(t *testing.T) {
	n := &Node{Name: "bf", Via: Local}
	const script = `exec >&2; echo "begin: the cause is here"; printf %09000d 0; echo " the end"; exit 3`
	_, err := Output(t.Context(), n, "sh", "-c", script)
	if err == nil {
		t.Fatal("found no error")
	}
	must.Contain(t, err.Error(),
		"node bf: exit status 3: begin: the cause is here\n", " bytes left out) … 0", " the end")
	_, err = Output(t.Context(), n, "sh", "-c", `seq 1 300 >&2; exit 3`) // 1,092 bytes
	if err == nil || strings.Contains(err.Error(), "…") || !strings.Contains(err.Error(), ": 1\n2\n") {
		t.Errorf("found %q, want the whole output", err)
	}
}

// TestExplainLeavesTheRestAlone: a message of dpukv on a node is no trouble of the launcher.
func TestExplainLeavesTheRestAlone(t *testing.T) {
	for _, stderr := range []string{
		"",
		"dpukv: dial tcp 127.0.0.1:7791: connect: connection refused",
		"dpukv: open /dev/infiniband/uverbs0: permission denied",
		"panic: runtime error: index out of range [1] with length 1",
		"srun: error: bf01: task 0: Exited with exit code 1",
		"** WARNING: connection is not using a post-quantum key exchange algorithm.",
		"command terminated with exit code 1",
	} {
		for _, via := range Vias() {
			if err := Explain(&Node{Name: "bf", Via: via}, stderr, errStatus); err != errStatus {
				t.Errorf("%s: %q became %v", via, stderr, err)
			}
		}
	}
	if err := Explain(&Node{Via: SSH}, "Host key verification failed.", nil); err != nil {
		t.Errorf("a command that ended well was explained: %v", err)
	}
}

// TestKubectlWithoutCluster runs the client without a cluster, for its own words rather than a
// table's.
func TestKubectlWithoutCluster(t *testing.T) {
	t.Parallel()
	programs.Need(t, "kubectl")
	n := &Node{Name: "bf", Via: Kubectl, Pod: "kv-0", KubeContext: "dpukv-never"}
	_, err := Output(t.Context(), n, "true")
	must.Fail(t, err, "node bf: there is no context dpukv-never: kubectl config get-contexts")
}
