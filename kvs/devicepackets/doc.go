// Package devicepackets counts the packets of RDMA devices as stores count those of sockets. Its
// counts show which way a load took.
package devicepackets
