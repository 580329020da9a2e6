// Package udp sends and receives many UDP datagrams with one system call: sendmmsg and recvmmsg,
// with segmentation (UDP_SEGMENT) and coalescing (UDP_GRO) where the kernel has them.
//
// A train is a message of several datagrams of one size. The kernel cuts it on its way out, or
// passes it whole to a receiver on the same machine.
package udp
