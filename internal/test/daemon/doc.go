// Package daemon starts the real servers behind the launchers for a test: OpenSSH's sshd and a one-node Slurm cluster, as
// Debian packages them, and network namespaces to put them in.
//
// Each has configuration, keys and state of its own in a folder of the test, and listens on the loopback or in
// a namespace of the test. As root each runs in process and mount namespaces of its own besides: everything that
// was started through it is gone when the test ends, however that ends. Nothing of the user's or the
// system's is read or written: not ~/.ssh, not ~/.bashrc, not /etc/ssh, not /etc/slurm.
//
// A test whose servers are not installed, or not allowed, is skipped and says so.
package daemon
