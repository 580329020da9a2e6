// Package clienttest puts small loads of the client on stores, for the stores' tests.
package clienttest
