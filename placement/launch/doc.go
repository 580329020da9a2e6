// Package launch starts programs on nodes. It turns a [Node] and a command for that node into a
// local command. The caller that starts and watches the local command need not know where the node
// is.
//
//	via       command to run here                              the far end of it
//	local     ARGV                                             this machine
//	netns     ip netns exec NAME ARGV, or a given prefix       a network namespace of this machine
//	ssh       ssh OPTIONS -- HOST 'exec ARGV'                  sshd, a login shell
//	slurm     srun --overlap OPTIONS ARGV                      a step in an allocation that the user has
//	kubectl   kubectl exec -i POD -- ARGV                      a container
//
// With sudo, ssh's ARGV is sudo -n -- ARGV: an image's user may be another than root. All of dpukv
// runs as root there then, and its cache is root's.
//
// Beyond this machine, the user's own OpenSSH client, Slurm or Kubernetes starts the programs, with
// the user's configuration, keys and agents. Every way keeps three promises:
//
//   - Arguments arrive unchanged, whatever they contain. Only ssh's login shell needs quoting, see
//     quote. Kubernetes carries UTF-8 alone, so [Command] refuses other arguments there.
//   - stdin and stdout are pipes of bytes, and the end of stdin arrives. So a program that ends
//     with its stdin leaves nothing behind on the node when the local command ends, however it
//     ends.
//   - Nothing asks a question. If a password, an unconfirmed host key or a busy cluster is in the
//     way, the command ends within seconds. [Explain] turns its output into a sentence with the
//     node's name and a remedy.
//
// [Check] reports a missing field or tool on this machine before anything starts.
//
// # A shared connection
//
// A datapath takes dozens of commands, and each is a new ssh connection. [Share] opens one
// connection for all. Its socket lies in a folder of this user alone, in the temporary folder. The
// connection ends with its owner, also after kill -9, as its remote command reads an empty pipe.
// Commands that find it gone connect by themselves. A shared connection of the user's own
// configuration takes precedence.
//
// # The binary
//
// [Install] puts dpukv on a node: the binary of its architecture, once for each content:
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
// The script travels over stdin, so that no login shell has to parse it. Two concurrent copies do
// not disturb each other, and an interrupted copy leaves nothing.
package launch
