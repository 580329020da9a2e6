// Package launch starts programs on nodes: it turns a [Node] and the command that is to run there into the
// command to run here. What starts and watches that command need not know where the node is.
//
//	via       command to run here                              the far end of it
//	local     ARGV                                             this machine
//	netns     ip netns exec NAME ARGV, or a given prefix       a network namespace of this machine
//	ssh       ssh OPTIONS -- HOST 'exec ARGV'                  sshd, a login shell
//	slurm     srun --overlap OPTIONS ARGV                      a step in an allocation that the user has
//	kubectl   kubectl exec -i POD -- ARGV                      a container
//
// Past this machine the running is done by the user's own OpenSSH client, Slurm or Kubernetes, with their
// configuration, keys and agents. Three promises hold over all of them:
//
//   - Arguments arrive as they are, whatever is in them; ssh's login shell is the one that needs care, see quote.
//   - stdin and stdout are pipes of bytes, and the end of stdin arrives: a program that ends with its stdin leaves
//     nothing behind there when the command here ends, however it ends.
//   - Nothing asks a question. A password, a host key to confirm, a busy cluster: the command ends within
//     seconds, and [Explain] turns what it said into a sentence with the node's name and what to do.
//
// [Check] refuses before anything starts what is missing here: a field, a tool. [Output] runs a command to its end.
//
// # The binary
//
// [Install] makes dpukv be on a node, for its architecture and once for its content:
//
//	here                              node
//	 ├─ sh -c 'eval "$(dd …)"' ────────▶│
//	 ├─ install.sh ────────────────────▶│
//	 │◀──────────────────────── x86_64 ─┤   uname -m
//	 ├─ SHA-256 ───────────────────────▶│   looks for ~/.cache/dpukv/bin/SHA-256/dpukv
//	 │◀──────────── have PATH, or send ─┤
//	 ├─ the file ──────────────────────▶│   to a temporary name; its digest compared; tried; renamed
//	 │◀───────────────────── have PATH ─┤
//
// The script travels over stdin, so that no login shell has to take it apart. Two copies at once do not
// disturb each other, and a copy that is cut short leaves nothing.
package launch
