// Package iplink reads the output of "ip -j link show": a machine's network interfaces.
package iplink
