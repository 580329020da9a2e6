// Package pty has terminals for tests.
package pty
