// Package iplink reads what "ip -j link show" prints of a machine's network interfaces.
package iplink
