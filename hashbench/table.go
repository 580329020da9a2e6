package hashbench

import (
	"github.com/OneOfOne/xxhash"
	xxhash64 "github.com/cespare/xxhash/v2"
	"github.com/dgryski/go-farm"
	"github.com/dgryski/go-spooky"
	"github.com/go-faster/city"
	"github.com/twmb/murmur3"
	"github.com/zeebo/xxh3"

	"dpukv/hashbench/tuned"
)

const (
	cityModule    = "github.com/go-faster/city v1.0.1"
	spookyModule  = "github.com/dgryski/go-spooky v0.0.0-20170606183049-ed3d087f40e2"
	murmurModule  = "github.com/twmb/murmur3 v1.2.2"
	xxh32Module   = "github.com/OneOfOne/xxhash v1.2.8"
	xxh64Module   = "github.com/cespare/xxhash/v2 v2.3.0"
	xxh3Module    = "github.com/zeebo/xxh3 v1.1.0"
	farmModule    = "github.com/dgryski/go-farm v0.0.0-20240924180020-3414d57e47da"
	sipModule     = "github.com/dchest/siphash v1.2.3"
	blakeModule   = "github.com/zeebo/blake3 v0.2.4"
	highwayModule = "github.com/minio/highwayhash v1.0.4"
	ownModule     = "dpukv/hashbench"
	tunedModule   = "dpukv/hashbench/tuned"
)

// registry is in the order of listings: families together, the study's first.
var registry = []Func{
	of32("city32", "City", tunedModule, Tuned, tuned.City32),
	of64("city64", "City", tunedModule, Tuned, tuned.City64),
	of128("city128", "City", tunedModule, Tuned, tuned.City128),
	of32("city32@module", "City", cityModule, Module, city.Hash32),
	of64("city64@module", "City", cityModule, Module, city.Hash64),
	of128("city128@module", "City", cityModule, Module, cityModule128),

	of32("murmur2-32", "Murmur2", ownModule, PureGo, murmur2),
	of64("murmur2-64a", "Murmur2", ownModule, PureGo, murmur64A),

	of32("murmur3-32", "Murmur3", murmurModule, Module, murmur3.Sum32),
	of128("murmur3-128", "Murmur3", murmurModule, Module, murmur3.Sum128),

	of32("spooky32", "Spooky", tunedModule, Tuned, tuned.Spooky32),
	of64("spooky64", "Spooky", tunedModule, Tuned, tuned.Spooky64),
	of128("spooky128", "Spooky", tunedModule, Tuned, tuned.Spooky128),
	of32("spooky32@module", "Spooky", spookyModule, Module, spooky.Hash32),
	of64("spooky64@module", "Spooky", spookyModule, Module, spooky.Hash64),
	of128("spooky128@module", "Spooky", spookyModule, Module, spookyModule128),

	of32("xxh32", "xxHash", xxh32Module, Module, xxhash.Checksum32),
	of64("xxh64", "xxHash", xxh64Module, asmAll, xxhash64.Sum64),
	of64("xxh3-64", "XXH3", xxh3Module, asmLong, xxh3.Hash),
	of128("xxh3-128", "XXH3", xxh3Module, asmLong, xxh3Sum128),

	of32("fnv1-32", "FNV", ownModule, PureGo, fnv1x32),
	of64("fnv1-64", "FNV", ownModule, PureGo, fnv1x64),
	of128("fnv1-128", "FNV", ownModule, PureGo, fnv1x128),
	of32("fnv1a-32", "FNV", ownModule, PureGo, fnv1ax32),
	of64("fnv1a-64", "FNV", ownModule, PureGo, fnv1ax64),
	of128("fnv1a-128", "FNV", ownModule, PureGo, fnv1ax128),

	of128("md5", "MD5", "crypto/md5", asmAll, md5Sum),

	// FarmHash's own Hash32 and Hash64 differ from CPU to CPU; its fingerprints do not.
	of32("farm32", "Farm", farmModule, asmAMD64, farm.Fingerprint32),
	of64("farm64", "Farm", farmModule, asmAMD64, farm.Fingerprint64),
	of128("farm128", "Farm", farmModule, Module, farm.Fingerprint128),

	of32("crc32c", "CRC", "hash/crc32", asmStd, crc32c),
	of64("siphash-64", "SipHash", sipModule, asmSip, sip64),
	of128("siphash-128", "SipHash", sipModule, asmSip, sip128),
	of64("highway-64", "Highway", highwayModule, asmHighway, highway64),
	of128("highway-128", "Highway", highwayModule, asmHighway, highway128),
	ofBits(256, of128("blake3", "BLAKE3", blakeModule, asmAMD64, blake3Sum)),
	perProcess(of64("maphash", "maphash", "hash/maphash", asmAll, mapHash)),
}

func ofBits(n int, f Func) Func {
	f.Bits = n
	return f
}

func perProcess(f Func) Func {
	f.PerProcess = true
	return f
}
