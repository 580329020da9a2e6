package load

import (
	"math"
	"sync"

	"dpukv/kvs"
)

// etc names the sizes of keys and values in ETC, the most general pool of Facebook's memcached (B.
// Atikoglu et al., Workload analysis of a large-scale key-value store, SIGMETRICS 2012), as
// mutilate has them (fb_key, fb_value). ETC's longest keys and largest values are left out: those
// beyond the longest key of memcached's meta protocol, one in 100,000, and those beyond
// [kvs.MaxValueBytes], one in a million.
const etc = "etc"

const (
	etcLongestKey = 186
	// etcGrowth is the growth of the ranges of value sizes.
	etcGrowth = 1.04
	// etcWhole is the sum of the weights. They are whole numbers, so that all machines have the
	// same, whatever the last digits of their logarithms are.
	etcWhole = 1e9
)

// etcSmall are the shares of values of 0 to 14 bytes. All others follow a generalized Pareto
// distribution.
var etcSmall = [...]float64{
	0.00536, 0.00047, 0.17820, 0.09239, 0.00018, 0.02740, 0.00065, 0.00606, 0.00023, 0.00837,
	0.00837, 0.08989, 0.00092, 0.00326, 0.01980,
}

// etcKeyBelow is the share of keys that are shorter: a generalized extreme value distribution.
func etcKeyBelow(size float64) float64 {
	const location, scale, shape = 30.7984, 8.20449, 0.078688
	return math.Exp(-math.Pow(1+shape*(size-location)/scale, -1/shape))
}

// etcValueBelow is the share of those values that are smaller, among those of 15 bytes and more.
func etcValueBelow(size float64) float64 {
	const location, scale, shape = 15, 214.476, 0.348238
	return 1 - math.Pow(1+shape*(size-location)/scale, -1/shape)
}

// etcKeys are sizes that are rounded, as mutilate's are.
var etcKeys = sync.OnceValue(func() (classes []sizeClass) {
	all := etcKeyBelow(etcLongestKey + 0.5)
	for size := 1; size <= etcLongestKey; size++ {
		share := etcKeyBelow(float64(size)+0.5) - etcKeyBelow(float64(size)-0.5)
		classes = addShare(classes, size, size, share/all)
	}
	return classes
})

// etcValues are sizes without their fractions, as mutilate's are. The sizes of a class are equally
// likely.
var etcValues = sync.OnceValue(func() (classes []sizeClass) {
	large := 1.0
	for size, share := range etcSmall {
		classes = addShare(classes, size, size, share)
		large -= share
	}
	all := etcValueBelow(float64(kvs.MaxValueBytes) + 1)
	for least := len(etcSmall); least <= kvs.MaxValueBytes; {
		most := min(max(int(float64(least)*etcGrowth)-1, least), kvs.MaxValueBytes)
		share := etcValueBelow(float64(most)+1) - etcValueBelow(float64(least))
		classes = addShare(classes, least, most, large*share/all)
		least = most + 1
	}
	return classes
})

// addShare adds a class, unless nothing is in it.
func addShare(classes []sizeClass, least, most int, share float64) []sizeClass {
	if weight := math.Round(share * etcWhole); weight > 0 {
		classes = append(classes, sizeClass{least, most, weight})
	}
	return classes
}
