package hashbench

// cityVectors are rows of Google's city-test.cc: the hashes of the n bytes from
// offset n² of its generated data.
var cityVectors = []struct {
	n            int
	hash32       uint32
	hash64       uint64
	low, high128 uint64
}{
	{0, 0xdc56d17a, 0x9ae16a3b2f90404f, 0x3df09dfc64c09a2b, 0x3cb540c392e51e29},
	{1, 0x99929334, 0x541150e87f415e96, 0xc3cdc41e1df33513, 0x2c138ff2596d42f6},
	{3, 0xebc34f3c, 0xef923a7a1af78eab, 0x2193fb7620cbf23b, 0x8b6a8ff06cda8302},
	{4, 0x26f2b463, 0x11df592596f41d88, 0x4d09e42f09cc3495, 0x666236631b9f253b},
	{7, 0x91dfdd75, 0x1b5a063fb4c7f9f1, 0xb140a02ef5c97712, 0xb7d00ef065b51b33},
	{8, 0xc87f95de, 0xa0f10149a0e538d6, 0x26b6689960ccf81d, 0x55f23b27bb9efd94},
	{12, 0x894a52ef, 0xe3f6828b6017086d, 0xd93251758985ee6c, 0x32a9e9f82ba2a932},
	{16, 0x51b4ba8, 0x3ead5f21d344056, 0xac059617f5906673, 0x94d50d3dcd3069a7},
	{17, 0xb6b06e40, 0x6abbfde37ee03b5b, 0xa4375590b8ae7c82, 0x168fd42f9ecae4ff},
	{24, 0x45177e0b, 0x36a097aa49519d97, 0x6ee1f817ce0b7aee, 0xe9dcb3507f0596ca},
	{25, 0x7c6fffe4, 0xdc78cb032c49217, 0xd367ff54952a958, 0xcdad930657371147},
	{32, 0x1fb4b518, 0x782fa1b08b475e7, 0x9a8c431f500ef06e, 0xd848581a580b6c12},
	{33, 0x31d13d6d, 0xc5dc19b876d37a80, 0x7870765b470b2c5d, 0x78a9103ff960d82},
	{64, 0x9c9cfe88, 0xe88419922b87176f, 0xd1d44fe99451ef72, 0xec951ba8e51e3545},
	{65, 0xb70a6ddd, 0x105191e0ec8f7f60, 0xd3e86ac4f5eccfa4, 0xe5399df2b106ca1},
	{127, 0xde287a64, 0xcbaa3cb8f64f54e0, 0x85b8e53f22e19507, 0xbb57137739ca486b},
	{128, 0x878e55b9, 0xb2e23e8116c2ba9f, 0xadc52dddb76f6e5e, 0x4aad4e925a962b68},
	{129, 0x7648486, 0x8aa77f52d7868eb9, 0xce030d15b5fe2f4, 0x86b4a7a0780c2431},
	{255, 0x17f148e9, 0x915263c671b28809, 0xd17c928c5342477f, 0x745130b795254ad5},
	{298, 0xf6a9fbf8, 0x74c0b8a6821faafe, 0x967e970df9673d2a, 0xd465247cffa415c0},
}

// cityTestData is setup() of city-test.cc, up to the last byte that the vectors use.
func cityTestData() []byte {
	const k0 = 0xc3a5c85c97cb3127
	data := make([]byte, 300*300)
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

// cityVectorsOf are the vectors of one width.
func cityVectorsOf(bits int) []vector {
	data := cityTestData()
	var list []vector
	for _, v := range cityVectors {
		row := vector{input: string(data[v.n*v.n:][:v.n])}
		switch bits {
		case 32:
			row.lo = uint64(v.hash32)
		case 64:
			row.lo = v.hash64
		case 128:
			row.lo, row.hi = v.low, v.high128
		}
		list = append(list, row)
	}
	return list
}
