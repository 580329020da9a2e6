// Package atomicfile replaces whole files: a crash leaves the old content or the new one.
package atomicfile
