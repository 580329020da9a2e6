package hashbench

import (
	"strings"
	"testing"
)

const fox = "The quick brown fox jumps over the lazy dog"

// vectors are published ones, of the functions' own widths, before widening.
var vectors = []struct {
	name, input string
	want        uint64
}{
	// Austin Appleby's MurmurHash3, as checked by many ports of it; seed 0.
	{"murmur3-32", "", 0},
	{"murmur3-32", "hello", 0x248bfa47},
	{"murmur3-32", "hello, world", 0x149bbb7f},
	{"murmur3-32", fox, 0x2e4ff723},
	{"murmur3-128", "", 0},
	{"murmur3-128", "hello", 0xcbd8a7b341bd9b02},
	{"murmur3-128", "hello, world", 0x342fac623a5ebc8e},
	{"murmur3-128", fox, 0xe34bbc7bbc071b6c},
	// xxHash's specification and its sanity checks; seed 0.
	{"xxh64", "", 0xef46db3751d8e999},
	{"xxh64", "a", 0xd24ec4f1a98c6e5b},
	{"xxh64", "abc", 0x44bc2cf5ad770999},
	{"xxh3-64", "", 0x2d06800538d394c2},
	{"xxh3-64", "a", 0xe6c632b61e964e1f},
	{"xxh3-64", "abc", 0x78af5f94892f3950},
	// FARM_FINGERPRINT in the BigQuery manual, which prints them signed.
	{"farm64", "1footrue", signed(-1541654101129638711)},
	{"farm64", "2applefalse", signed(2794438866806483259)},
	{"farm64", "3true", signed(-4880158226897771312)},
	// From Google's farmhash.
	{"farm32", "", 0xdc56d17a},
	{"farm32", "a", 0x3c973d4d},
	{"farm32", "abc", 0x2f635ec7},
	{"farm32", "abcdefgh", 0xfd7ec8b9},
	{"farm32", "C is as portable as Stonehedge!!", 0x221694e4},
	// The FNV authors' own test program, test_fnv.c.
	{"fnv1a-32", "", 0x811c9dc5},
	{"fnv1a-32", "a", 0xe40c292c},
	{"fnv1a-32", "foobar", 0xbf9cf968},
	{"fnv1a-64", "", 0xcbf29ce484222325},
	{"fnv1a-64", "a", 0xaf63dc4c8601ec8c},
	{"fnv1a-64", "foobar", 0x85944171f73967e8},
	// The CRC catalogue's check value, and RFC 3720, appendix B.4.
	{"crc32c", "123456789", 0xe3069283},
	{"crc32c", strings.Repeat("\x00", 32), 0x8a9136aa},
	{"crc32c", strings.Repeat("\xff", 32), 0x62a8ab43},
}

func signed(v int64) uint64 { return uint64(v) }

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		checkVector(t, v.name, []byte(v.input), v.want)
	}
}

func checkVector(t *testing.T, name string, input []byte, want uint64) {
	t.Helper()
	f, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	if f.Bits == 32 {
		want = Widen(uint32(want))
	}
	if got := f.Sum64(input); got != want {
		t.Errorf("%s of %d bytes %.20q is %#x, want %#x", name, len(input), input, got, want)
	}
}

// cityVectors are rows of Google's city-test.cc: the hashes of the n bytes from
// offset n² of its generated data.
var cityVectors = []struct {
	n                  int
	hash32             uint32
	hash64, low128bits uint64
}{
	{0, 0xdc56d17a, 0x9ae16a3b2f90404f, 0x3df09dfc64c09a2b},
	{1, 0x99929334, 0x541150e87f415e96, 0xc3cdc41e1df33513},
	{3, 0xebc34f3c, 0xef923a7a1af78eab, 0x2193fb7620cbf23b},
	{4, 0x26f2b463, 0x11df592596f41d88, 0x4d09e42f09cc3495},
	{7, 0x91dfdd75, 0x1b5a063fb4c7f9f1, 0xb140a02ef5c97712},
	{8, 0xc87f95de, 0xa0f10149a0e538d6, 0x26b6689960ccf81d},
	{12, 0x894a52ef, 0xe3f6828b6017086d, 0xd93251758985ee6c},
	{16, 0x51b4ba8, 0x3ead5f21d344056, 0xac059617f5906673},
	{17, 0xb6b06e40, 0x6abbfde37ee03b5b, 0xa4375590b8ae7c82},
	{24, 0x45177e0b, 0x36a097aa49519d97, 0x6ee1f817ce0b7aee},
	{25, 0x7c6fffe4, 0xdc78cb032c49217, 0xd367ff54952a958},
	{32, 0x1fb4b518, 0x782fa1b08b475e7, 0x9a8c431f500ef06e},
	{33, 0x31d13d6d, 0xc5dc19b876d37a80, 0x7870765b470b2c5d},
	{64, 0x9c9cfe88, 0xe88419922b87176f, 0xd1d44fe99451ef72},
	{65, 0xb70a6ddd, 0x105191e0ec8f7f60, 0xd3e86ac4f5eccfa4},
	{127, 0xde287a64, 0xcbaa3cb8f64f54e0, 0x85b8e53f22e19507},
	{128, 0x878e55b9, 0xb2e23e8116c2ba9f, 0xadc52dddb76f6e5e},
	{129, 0x7648486, 0x8aa77f52d7868eb9, 0xce030d15b5fe2f4},
	{255, 0x17f148e9, 0x915263c671b28809, 0xd17c928c5342477f},
	{298, 0xf6a9fbf8, 0x74c0b8a6821faafe, 0x967e970df9673d2a},
}

// cityTestData is city-test.cc's setup().
func cityTestData() []byte {
	const k0 = 0xc3a5c85c97cb3127
	data := make([]byte, 1<<20)
	a, b := uint64(9), uint64(777)
	for i := range data {
		a += b
		b += a
		a = (a ^ a>>41) * k0
		b = (b^b>>41)*k0 + uint64(i)
		data[i] = byte(b >> 37)
	}
	return data
}

func TestCityVectors(t *testing.T) {
	data := cityTestData()
	for _, v := range cityVectors {
		input := data[v.n*v.n:][:v.n]
		checkVector(t, "city32", input, uint64(v.hash32))
		checkVector(t, "city64", input, v.hash64)
		checkVector(t, "city128", input, v.low128bits)
	}
}
