package launch

// trouble is something that a tool says when it cannot run a command on a node.
type trouble struct {
	says  string // regular expression
	means string // what it is and what to do; $1 is the expression's first group
}

var sshTroubles, slurmTroubles, kubectlTroubles []trouble

// Explain says in a sentence why a command on the node failed, and what to do: stderr is what it wrote last, err is
// how it ended and stays inside the new error. If it is not known what happened, the error is err itself.
func Explain(n *Node, stderr string, err error) error { return err }
