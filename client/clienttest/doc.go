// Package clienttest puts small loads of the client on stores, for the tests of those stores.
package clienttest
