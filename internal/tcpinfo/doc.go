// Package tcpinfo reads the kernel's counters of another process's TCP sockets (TCP_INFO by
// sock_diag(7)), for servers that do not report their own. It also names the process that listens
// on a port.
package tcpinfo
