// Package daemon starts the real servers behind the launchers for a test: OpenSSH's sshd, and
// clusters of one node of Slurm and Kubernetes, and network namespaces for them. The servers are
// from Debian's packages, but for two of Kubernetes' own that internal/test/kube builds.
//
// Each server has configuration, keys and state of its own in a folder of the test. It listens on
// the loopback or in a namespace of the test. As root each also runs in process and mount
// namespaces of its own: all processes started through it are gone when the test ends, in any way.
// The servers read and write nothing of the user's or the system's: not ~/.ssh, not ~/.bashrc, not
// /etc/ssh, not /etc/slurm.
//
// A test whose servers are not installed, or not allowed, is skipped with the reason.
package daemon
