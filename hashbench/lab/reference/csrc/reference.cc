// The reference implementations, called as package measure calls Go's: one line of text asks for a
// digest or a round, one line answers. It is compiled by package reference with whatever sources are found;
// none of them is part of this repository.
//
//   list                                  names of the functions there are
//   digest NAME                           of the hashes of 0 to 1500 bytes, as reference.Digest
//   prepare MIN MAX ALIGN SEED            the next rounds' lengths and places
//   round NAME latency|throughput CALLS   thread CPU time in nanoseconds
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

struct h128 {
  uint64_t lo, hi;
};

typedef uint32_t (*f32)(const char*, size_t);
typedef uint64_t (*f64)(const char*, size_t);
typedef h128 (*f128)(const char*, size_t);

#ifdef HAVE_CITY
#include <city.h>
static uint32_t city32(const char* s, size_t n) { return CityHash32(s, n); }
static uint64_t city64(const char* s, size_t n) { return CityHash64(s, n); }
static h128 city128(const char* s, size_t n) {
  uint128 h = CityHash128(s, n);
  return {h.first, h.second};
}
#endif

#ifdef HAVE_SMHASHER
#include "MurmurHash2.h"
#include "MurmurHash3.h"
#include "SpookyV2.h"
static uint32_t murmur2_32(const char* s, size_t n) { return MurmurHash2(s, n, 0); }
static uint64_t murmur2_64a(const char* s, size_t n) { return MurmurHash64A(s, n, 0); }
static uint32_t murmur3_32(const char* s, size_t n) {
  uint32_t h;
  MurmurHash3_x86_32(s, n, 0, &h);
  return h;
}
static h128 murmur3_128(const char* s, size_t n) {
  uint64_t h[2];
  MurmurHash3_x64_128(s, n, 0, h);
  return {h[0], h[1]};
}
static uint32_t spooky32(const char* s, size_t n) { return SpookyHash::Hash32(s, n, 0); }
static uint64_t spooky64(const char* s, size_t n) { return SpookyHash::Hash64(s, n, 0); }
static h128 spooky128(const char* s, size_t n) {
  uint64_t a = 0, b = 0;
  SpookyHash::Hash128(s, n, &a, &b);
  return {a, b};
}
#endif

#ifdef HAVE_XXHASH
#define XXH_INLINE_ALL
#include <xxhash.h>
static uint32_t xxh32(const char* s, size_t n) { return XXH32(s, n, 0); }
static uint64_t xxh64(const char* s, size_t n) { return XXH64(s, n, 0); }
static uint64_t xxh3_64(const char* s, size_t n) { return XXH3_64bits(s, n); }
static h128 xxh3_128(const char* s, size_t n) {
  XXH128_hash_t h = XXH3_128bits(s, n);
  return {h.low64, h.high64};
}
#endif

#ifdef HAVE_FARMHASH
#include <farmhash.h>
static uint32_t farm32(const char* s, size_t n) { return util::Fingerprint32(s, n); }
static uint64_t farm64(const char* s, size_t n) { return util::Fingerprint64(s, n); }
static h128 farm128(const char* s, size_t n) {
  auto h = util::Fingerprint128(s, n);
  return {h.first, h.second};
}
#endif

#ifdef HAVE_HIGHWAY
#include <highwayhash/sip_hash.h>
static uint64_t siphash_64(const char* s, size_t n) {
  static const highwayhash::HH_U64 key[2] = {0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull};
  return highwayhash::SipHash(key, s, n);
}
#include <highwayhash/highwayhash.h>
static const highwayhash::HHKey highway_key = {0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull,
                                               0x1716151413121110ull, 0x1f1e1d1c1b1a1918ull};
static uint64_t highway_64(const char* s, size_t n) {
  highwayhash::HHStateT<HH_TARGET_PREFERRED> state(highway_key);
  highwayhash::HHResult64 h;
  highwayhash::HighwayHashT(&state, s, n, &h);
  return h;
}
static h128 highway_128(const char* s, size_t n) {
  highwayhash::HHStateT<HH_TARGET_PREFERRED> state(highway_key);
  highwayhash::HHResult128 h;
  highwayhash::HighwayHashT(&state, s, n, &h);
  return {h[0], h[1]};
}
#endif

#ifdef HAVE_MD5
#include <openssl/md5.h>
static h128 md5(const char* s, size_t n) {
  h128 h;
  MD5((const unsigned char*)s, n, (unsigned char*)&h);
  return h;
}
#endif

// FNV's authors publish these loops: http://www.isthe.com/chongo/tech/comp/fnv/.
static uint32_t fnv1_32(const char* s, size_t n) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < n; i++) h = h * 16777619u ^ (uint8_t)s[i];
  return h;
}
static uint32_t fnv1a_32(const char* s, size_t n) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < n; i++) h = (h ^ (uint8_t)s[i]) * 16777619u;
  return h;
}
static uint64_t fnv1_64(const char* s, size_t n) {
  uint64_t h = 14695981039346656037ull;
  for (size_t i = 0; i < n; i++) h = h * 1099511628211ull ^ (uint8_t)s[i];
  return h;
}
static uint64_t fnv1a_64(const char* s, size_t n) {
  uint64_t h = 14695981039346656037ull;
  for (size_t i = 0; i < n; i++) h = (h ^ (uint8_t)s[i]) * 1099511628211ull;
  return h;
}
static const unsigned __int128 fnv_prime = (unsigned __int128)1 << 88 | 0x13b;
static const unsigned __int128 fnv_offset = (unsigned __int128)0x6c62272e07bb0142ull << 64 | 0x62b821756295c58dull;
static h128 fnv1_128(const char* s, size_t n) {
  unsigned __int128 h = fnv_offset;
  for (size_t i = 0; i < n; i++) h = h * fnv_prime ^ (uint8_t)s[i];
  return {(uint64_t)h, (uint64_t)(h >> 64)};
}
static h128 fnv1a_128(const char* s, size_t n) {
  unsigned __int128 h = fnv_offset;
  for (size_t i = 0; i < n; i++) h = (h ^ (uint8_t)s[i]) * fnv_prime;
  return {(uint64_t)h, (uint64_t)(h >> 64)};
}

// The loop's own cost, as package measure's Loop: what returns at once, and chains of dependent multiplications. The
// empty assembly keeps the compiler from multiplying the factors first.
static uint64_t empty(const char* s, size_t) { return (uint64_t)s; }
static h128 empty_128(const char* s, size_t n) { return {(uint64_t)s, n}; }

static volatile uint64_t multiplier = 0x9ddfea08eb382d69ull;

template <int N>
static uint64_t chain(const char* s, size_t) {
  uint64_t h = (uint64_t)s, m = multiplier;
#pragma GCC unroll 16
  for (int i = 0; i < N; i++) {
    h *= m;
    asm("" : "+r"(h));
  }
  return h;
}
template <int N>
static h128 chain_128(const char* s, size_t n) {
  return {chain<N>(s, n), n};
}

struct function {
  const char* name;
  f32 h32;
  f64 h64;
  f128 h128;
};

static const function functions[] = {
    {"empty", 0, empty}, {"chain4", 0, chain<4>}, {"chain8", 0, chain<8>}, {"chain16", 0, chain<16>},
    {"empty-128", 0, 0, empty_128}, {"chain4-128", 0, 0, chain_128<4>}, {"chain8-128", 0, 0, chain_128<8>}, {"chain16-128", 0, 0, chain_128<16>},
    {"fnv1-32", fnv1_32}, {"fnv1a-32", fnv1a_32}, {"fnv1-64", 0, fnv1_64}, {"fnv1a-64", 0, fnv1a_64},
    {"fnv1-128", 0, 0, fnv1_128}, {"fnv1a-128", 0, 0, fnv1a_128},
#ifdef HAVE_CITY
    {"city32", city32}, {"city64", 0, city64}, {"city128", 0, 0, city128},
#endif
#ifdef HAVE_SMHASHER
    {"murmur2-32", murmur2_32}, {"murmur2-64a", 0, murmur2_64a}, {"murmur3-32", murmur3_32}, {"murmur3-128", 0, 0, murmur3_128},
    {"spooky32", spooky32}, {"spooky64", 0, spooky64}, {"spooky128", 0, 0, spooky128},
#endif
#ifdef HAVE_XXHASH
    {"xxh32", xxh32}, {"xxh64", 0, xxh64}, {"xxh3-64", 0, xxh3_64}, {"xxh3-128", 0, 0, xxh3_128},
#endif
#ifdef HAVE_FARMHASH
    {"farm32", farm32}, {"farm64", 0, farm64}, {"farm128", 0, 0, farm128},
#endif
#ifdef HAVE_HIGHWAY
    {"siphash-64", 0, siphash_64}, {"highway-64", 0, highway_64}, {"highway-128", 0, 0, highway_128},
#endif
#ifdef HAVE_MD5
    {"md5", 0, 0, md5},
#endif
};

static const function* find(const char* name) {
  for (const function& f : functions)
    if (!strcmp(f.name, name)) return &f;
  return 0;
}

static uint64_t mix(uint64_t x) {  // SplitMix64
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

static void add(uint64_t& digest, uint64_t word) {  // FNV-1a of eight bytes
  for (int i = 0; i < 64; i += 8) digest = (digest ^ (word >> i & 0xff)) * 1099511628211ull;
}

static uint64_t digest(const function& f) {
  std::vector<char> data(1501 + 8);
  for (size_t i = 0; i < data.size(); i++) data[i] = (char)mix(i);
  uint64_t d = 14695981039346656037ull;
  for (size_t n = 0; n <= 1500; n++) {
    const char* s = data.data() + n % 8;
    h128 h = {0, 0};
    if (f.h32) h.lo = f.h32(s, n);
    else if (f.h64) h.lo = f.h64(s, n);
    else h = f.h128(s, n);
    add(d, h.lo);
    add(d, h.hi);
  }
  return d;
}

// As package measure's Input.
static std::vector<char> memory;
static const char* pool;
static std::vector<uint32_t> lengths;
static size_t at;

static void prepare(size_t lo, size_t hi, size_t align, uint64_t seed) {
  memory.assign(64 * 64 + hi + 2 * 64, 0);
  for (size_t i = 0; i < memory.size(); i++) memory[i] = (char)mix(seed + i);
  pool = (const char*)(((uintptr_t)memory.data() + 63) & ~(uintptr_t)63) + align;
  lengths.resize(lo == hi ? 64 : 1 << 20);
  for (size_t i = 0; i < lengths.size(); i++) lengths[i] = lo + mix(~(seed + i)) % (hi - lo + 1);
  at = 0;
}

static int64_t now() {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static inline uint64_t fold(uint32_t h) { return h; }
static inline uint64_t fold(uint64_t h) { return h; }
static inline uint64_t fold(h128 h) { return h.lo ^ h.hi; }

template <class F>
static uint64_t __attribute__((noinline)) latency(F f, size_t calls) {
  const char* p = pool;
  const uint32_t* l = lengths.data();
  size_t mask = lengths.size() - 1, i = at;
  uint64_t hash = 0;
  for (; calls > 0; calls--, i++) hash = fold(f(p + hash % 64 * 64, l[i & mask]));
  at = i & mask;
  return hash;
}

template <class F>
static uint64_t __attribute__((noinline)) throughput(F f, size_t calls) {
  const char* p = pool;
  const uint32_t* l = lengths.data();
  size_t mask = lengths.size() - 1, i = at;
  uint64_t sum = 0;
  for (; calls > 0; calls--, i++) sum += fold(f(p + i % 64 * 64, l[i & mask]));
  at = i & mask;
  return sum;
}

static volatile uint64_t sink;

template <class F>
static int64_t timed(F f, bool waits, size_t calls) {
  int64_t start = now();
  sink = waits ? latency(f, calls) : throughput(f, calls);
  return now() - start;
}

int main() {
  char line[256], name[64], mode[64];
  while (fgets(line, sizeof line, stdin)) {
    unsigned long long a, b, c, d;
    if (!strcmp(line, "list\n")) {
      for (const function& f : functions) printf("%s ", f.name);
      printf("\n");
    } else if (sscanf(line, "digest %63s", name) == 1 && find(name)) {
      printf("%016llx\n", (unsigned long long)digest(*find(name)));
    } else if (sscanf(line, "prepare %llu %llu %llu %llu", &a, &b, &c, &d) == 4) {
      prepare(a, b, c, d);
      printf("ok\n");
    } else if (sscanf(line, "round %63s %63s %llu", name, mode, &a) == 3 && find(name)) {
      const function& f = *find(name);
      bool waits = !strcmp(mode, "latency");
      printf("%lld\n", (long long)(f.h32 ? timed(f.h32, waits, a) : f.h64 ? timed(f.h64, waits, a) : timed(f.h128, waits, a)));
    } else {
      printf("what? %s", line);
    }
    fflush(stdout);
  }
}
