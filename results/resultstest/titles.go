package resultstest

import "dpukv/kvs"

// The tests of results know two stores by their titles. They can't import package stores, which
// stands above results in the import order.
func init() {
	kvs.RegisterTitle(&kvs.Store{Name: "mica", Title: "MICA"})
	kvs.RegisterTitle(&kvs.Store{Name: "herd", Title: "HERD"})
}
