package hashbench

import "strings"

// vector is an input and its published hash, in the function's own width, before widening.
type vector struct {
	input  string
	lo, hi uint64
}

const fox = "The quick brown fox jumps over the lazy dog"

// signed is for vectors published as signed numbers.
func signed(v int64) uint64 { return uint64(v) }

var vectors = map[string][]vector{
	// Austin Appleby's MurmurHash2.cpp, seed 0; the tests have SMHasher's own check of it.
	"murmur2-32": {
		{"", 0, 0},
		{"a", 0x92685f5e, 0},
		{"hello", 0xe56129cb, 0},
		{"hello, world", 0x4b4c9d80, 0},
		{fox, 0x212729d0, 0},
	},
	"murmur2-64a": {
		{"", 0, 0},
		{"a", 0x071717d2d36b6b11, 0},
		{"hello", 0x1e68d17c457bf117, 0},
		{"hello, world", 0x9659ad0699a8465f, 0},
		{fox, 0x5589ca33042a861b, 0},
	},
	// Austin Appleby's MurmurHash3, seed 0; many ports of it check these vectors.
	"murmur3-32": {
		{"", 0, 0},
		{"hello", 0x248bfa47, 0},
		{"hello, world", 0x149bbb7f, 0},
		{fox, 0x2e4ff723, 0},
	},
	"murmur3-128": {
		{"", 0, 0},
		{"hello", 0xcbd8a7b341bd9b02, 0x5b1e906a48ae1d19},
		{"hello, world", 0x342fac623a5ebc8e, 0x4cdcbc079642414d},
		{fox, 0xe34bbc7bbc071b6c, 0x7a433ca9c49a9347},
	},
	// Bob Jenkins's testspookyv2.cpp (the first word of its first row) and the golden rows of ports
	// of it.
	"spooky32": {{"", 0x6bf50919, 0}, {"abc", 0x7537c967, 0}},
	"spooky64": {
		{"", 0x232706fc6bf50919, 0},
		{"abc", 0x8aab15f77537c967, 0},
		{"C is as portable as Stonehedge!!", 0x9c3d456bfc68f45d, 0},
	},
	"spooky128": {
		{"", 0x232706fc6bf50919, 0x8b72ee65b4e851c7},
		{"abc", 0x8aab15f77537c967, 0xc61367f8ca7811b0},
		{"C is as portable as Stonehedge!!", 0x9c3d456bfc68f45d, 0xf928cfd4cd627bd1},
	},
	// xxHash's specification and its sanity checks; seed 0.
	"xxh32": {
		{"", 0x02cc5d05, 0},
		{"a", 0x550d7456, 0},
		{"abc", 0x32d153ff, 0},
		{fox, 0xe85ea4de, 0},
	},
	"xxh64": {
		{"", 0xef46db3751d8e999, 0},
		{"a", 0xd24ec4f1a98c6e5b, 0},
		{"abc", 0x44bc2cf5ad770999, 0},
	},
	"xxh3-64": {
		{"", 0x2d06800538d394c2, 0},
		{"a", 0xe6c632b61e964e1f, 0},
		{"abc", 0x78af5f94892f3950, 0},
	},
	"xxh3-128": {
		{"", 0x6001c324468d497f, 0x99aa06d3014798d8},
		{"a", 0xe6c632b61e964e1f, 0xa96faf705af16834},
		{"abc", 0x78af5f94892f3950, 0x06b05ab6733a6185},
	},
	// The FNV authors' own test program, test_fnv.c, and draft-eastlake-fnv.
	"fnv1-32": {{"", 0x811c9dc5, 0}, {"a", 0x050c5d7e, 0}, {"abc", 0x439c2f4b, 0}},
	"fnv1-64": {
		{"", 0xcbf29ce484222325, 0},
		{"a", 0xaf63bd4c8601b7be, 0},
		{"abc", 0xd8dcca186bafadcb, 0},
	},
	"fnv1-128": {
		{"", 0x62b821756295c58d, 0x6c62272e07bb0142},
		{"a", 0x78912b704e4a141e, 0xd228cb69101a8caf},
		{"abc", 0x836dbc78c6aee73b, 0xa68bb2a4348b5822},
	},
	"fnv1a-32": {{"", 0x811c9dc5, 0}, {"a", 0xe40c292c, 0}, {"foobar", 0xbf9cf968, 0}},
	"fnv1a-64": {
		{"", 0xcbf29ce484222325, 0},
		{"a", 0xaf63dc4c8601ec8c, 0},
		{"foobar", 0x85944171f73967e8, 0},
	},
	"fnv1a-128": {
		{"", 0x62b821756295c58d, 0x6c62272e07bb0142},
		{"a", 0x78912b704e4a8964, 0xd228cb696f1a8caf},
		{"abc", 0x836dbc7977af7f3b, 0xa68d622cec8b5822},
	},
	// RFC 1321, appendix A.5, with the bytes as little-endian words.
	"md5": {
		{"", 0x04b2008fd98c1dd4, 0x7e42f8ec980980e9},
		{"abc", 0xb04fd23c98500190, 0x727fe1287d3f96d6},
	},
	// From Google's farmhash; FARM_FINGERPRINT in the BigQuery manual, which prints them signed.
	"farm32": {
		{"", 0xdc56d17a, 0},
		{"a", 0x3c973d4d, 0},
		{"abc", 0x2f635ec7, 0},
		{"abcdefgh", 0xfd7ec8b9, 0},
		{"C is as portable as Stonehedge!!", 0x221694e4, 0},
	},
	"farm64": {
		{"1footrue", signed(-1541654101129638711), 0},
		{"2applefalse", signed(2794438866806483259), 0},
		{"3true", signed(-4880158226897771312), 0},
	},
	"farm128": {
		{"", 0x3df09dfc64c09a2b, 0x3cb540c392e51e29},
		{"a", 0x6e97d6bbdfc0a0c4, 0x52a71e38f43be561},
		{"hello", 0x6f72e4abb491a74a, 0x65148f580b45f347},
		{fox, 0xa7f9a86a2d60c968, 0xbf1498f876dbe279},
	},
	// The CRC catalogue's check value, and RFC 3720, appendix B.4.
	"crc32c": {
		{"123456789", 0xe3069283, 0},
		{strings.Repeat("\x00", 32), 0x8a9136aa, 0},
		{strings.Repeat("\xff", 32), 0x62a8ab43, 0},
	},
	// The SipHash authors' vectors.h; the paper's appendix A has the 15 bytes.
	"siphash-64": {
		{"", 0x726fdb47dd0e0e31, 0},
		{string(ascending(1)), 0x74f839c593dc67fd, 0},
		{string(ascending(15)), 0xa129ca6149be45e5, 0},
	},
	"siphash-128": {
		{"", 0xe6a825ba047f81a3, 0x930255c71472f66d},
		{string(ascending(1)), 0x44af996bd8c187da, 0x45fc229b11597634},
	},
	// The HighwayHash authors' highwayhash_test.cc.
	"highway-64":  {{"", 0x907a56de22c26e53, 0}, {string(ascending(1)), 0x7eab43aac7cddd78, 0}},
	"highway-128": {{"", 0x0fed268f9d8ffec7, 0x33565e767f093e6f}},
	// The BLAKE3 authors' test_vectors.json: input bytes count from 0.
	"blake3": {
		{"", 0xa6a1f9f5b94913af, 0x49c9dc36ea4d40a0},
		{string(ascending(1)), 0xf1611bf1dfde3a2d, 0x7336a0af356e884c},
	},
}
