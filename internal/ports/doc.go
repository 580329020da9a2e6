// Package ports listens on a free port of a range.
//
// A firewall often opens a few ports, and no others. So a listen address may be HOST:FIRST-LAST,
// which stands for any free port from FIRST to LAST:
//
//	127.0.0.1:7791        this port
//	127.0.0.1:0           any free port, chosen by the kernel
//	127.0.0.1:7000-7100   any free port of these
package ports
