// Package tcpinfo asks the kernel what the TCP sockets of another process counted (TCP_INFO by
// sock_diag(7)), for servers that do not tell themselves.
package tcpinfo
