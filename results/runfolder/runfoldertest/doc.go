// Package runfoldertest makes run folders for tests.
package runfoldertest
