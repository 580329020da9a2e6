// Package port finds free ports for servers in tests that can't report the port they chose.
package port
