#include "lib/base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 10^e from the first power, scaled to 128 bits and rounded up: high, low word
enum { FIRST = -40, LAST = 55 };
static const uint64_t powers[LAST - FIRST + 1][2] = {
    {0x8b61313bbabce2c6, 0x2323ac4b3b3da016}, {0xae397d8aa96c1b77, 0xabec975e0a0d081b},
    {0xd9c7dced53c72255, 0x96e7bd358c904a22}, {0x881cea14545c7575, 0x7e50d64177da2e55},
    {0xaa242499697392d2, 0xdde50bd1d5d0b9ea}, {0xd4ad2dbfc3d07787, 0x955e4ec64b44e865},
    {0x84ec3c97da624ab4, 0xbd5af13bef0b113f}, {0xa6274bbdd0fadd61, 0xecb1ad8aeacdd58f},
    {0xcfb11ead453994ba, 0x67de18eda5814af3}, {0x81ceb32c4b43fcf4, 0x80eacf948770ced8},
    {0xa2425ff75e14fc31, 0xa1258379a94d028e}, {0xcad2f7f5359a3b3e, 0x096ee45813a04331},
    {0xfd87b5f28300ca0d, 0x8bca9d6e188853fd}, {0x9e74d1b791e07e48, 0x775ea264cf55347e},
    {0xc612062576589dda, 0x95364afe032a819e}, {0xf79687aed3eec551, 0x3a83ddbd83f52205},
    {0x9abe14cd44753b52, 0xc4926a9672793543}, {0xc16d9a0095928a27, 0x75b7053c0f178294},
    {0xf1c90080baf72cb1, 0x5324c68b12dd6339}, {0x971da05074da7bee, 0xd3f6fc16ebca5e04},
    {0xbce5086492111aea, 0x88f4bb1ca6bcf585}, {0xec1e4a7db69561a5, 0x2b31e9e3d06c32e6},
    {0x9392ee8e921d5d07, 0x3aff322e62439fd0}, {0xb877aa3236a4b449, 0x09befeb9fad487c3},
    {0xe69594bec44de15b, 0x4c2ebe687989a9b4}, {0x901d7cf73ab0acd9, 0x0f9d37014bf60a11},
    {0xb424dc35095cd80f, 0x538484c19ef38c95}, {0xe12e13424bb40e13, 0x2865a5f206b06fba},
    {0x8cbccc096f5088cb, 0xf93f87b7442e45d4}, {0xafebff0bcb24aafe, 0xf78f69a51539d749},
    {0xdbe6fecebdedd5be, 0xb573440e5a884d1c}, {0x89705f4136b4a597, 0x31680a88f8953031},
    {0xabcc77118461cefc, 0xfdc20d2b36ba7c3e}, {0xd6bf94d5e57a42bc, 0x3d32907604691b4d},
    {0x8637bd05af6c69b5, 0xa63f9a49c2c1b110}, {0xa7c5ac471b478423, 0x0fcf80dc33721d54},
    {0xd1b71758e219652b, 0xd3c36113404ea4a9}, {0x83126e978d4fdf3b, 0x645a1cac083126ea},
    {0xa3d70a3d70a3d70a, 0x3d70a3d70a3d70a4}, {0xcccccccccccccccc, 0xcccccccccccccccd},
    {0x8000000000000000, 0x0000000000000000}, {0xa000000000000000, 0x0000000000000000},
    {0xc800000000000000, 0x0000000000000000}, {0xfa00000000000000, 0x0000000000000000},
    {0x9c40000000000000, 0x0000000000000000}, {0xc350000000000000, 0x0000000000000000},
    {0xf424000000000000, 0x0000000000000000}, {0x9896800000000000, 0x0000000000000000},
    {0xbebc200000000000, 0x0000000000000000}, {0xee6b280000000000, 0x0000000000000000},
    {0x9502f90000000000, 0x0000000000000000}, {0xba43b74000000000, 0x0000000000000000},
    {0xe8d4a51000000000, 0x0000000000000000}, {0x9184e72a00000000, 0x0000000000000000},
    {0xb5e620f480000000, 0x0000000000000000}, {0xe35fa931a0000000, 0x0000000000000000},
    {0x8e1bc9bf04000000, 0x0000000000000000}, {0xb1a2bc2ec5000000, 0x0000000000000000},
    {0xde0b6b3a76400000, 0x0000000000000000}, {0x8ac7230489e80000, 0x0000000000000000},
    {0xad78ebc5ac620000, 0x0000000000000000}, {0xd8d726b7177a8000, 0x0000000000000000},
    {0x878678326eac9000, 0x0000000000000000}, {0xa968163f0a57b400, 0x0000000000000000},
    {0xd3c21bcecceda100, 0x0000000000000000}, {0x84595161401484a0, 0x0000000000000000},
    {0xa56fa5b99019a5c8, 0x0000000000000000}, {0xcecb8f27f4200f3a, 0x0000000000000000},
    {0x813f3978f8940984, 0x4000000000000000}, {0xa18f07d736b90be5, 0x5000000000000000},
    {0xc9f2c9cd04674ede, 0xa400000000000000}, {0xfc6f7c4045812296, 0x4d00000000000000},
    {0x9dc5ada82b70b59d, 0xf020000000000000}, {0xc5371912364ce305, 0x6c28000000000000},
    {0xf684df56c3e01bc6, 0xc732000000000000}, {0x9a130b963a6c115c, 0x3c7f400000000000},
    {0xc097ce7bc90715b3, 0x4b9f100000000000}, {0xf0bdc21abb48db20, 0x1e86d40000000000},
    {0x96769950b50d88f4, 0x1314448000000000}, {0xbc143fa4e250eb31, 0x17d955a000000000},
    {0xeb194f8e1ae525fd, 0x5dcfab0800000000}, {0x92efd1b8d0cf37be, 0x5aa1cae500000000},
    {0xb7abc627050305ad, 0xf14a3d9e40000000}, {0xe596b7b0c643c719, 0x6d9ccd05d0000000},
    {0x8f7e32ce7bea5c6f, 0xe4820023a2000000}, {0xb35dbf821ae4f38b, 0xdda2802c8a800000},
    {0xe0352f62a19e306e, 0xd50b2037ad200000}, {0x8c213d9da502de45, 0x4526f422cc340000},
    {0xaf298d050e4395d6, 0x9670b12b7f410000}, {0xdaf3f04651d47b4c, 0x3c0cdd765f114000},
    {0x88d8762bf324cd0f, 0xa5880a69fb6ac800}, {0xab0e93b6efee0053, 0x8eea0d047a457a00},
    {0xd5d238a4abe98068, 0x72a4904598d6d880}, {0x85a36366eb71f041, 0x47a6da2b7f864750},
    {0xa70c3c40a64e6c51, 0x999090b65f67d924}, {0xd0cf4b50cfe20765, 0xfff4b4e3f741cf6d},
};

// the value d 10^e
typedef struct decimal {
  uint64_t d;
  int e;
} decimal;

// high word of a b; *low: low word
static uint64_t multiply_words(uint64_t a, uint64_t b, uint64_t *low) {
  const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  const uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0;
  const uint64_t middle = (p00 >> 32) + (uint32_t)p01 + (uint32_t)p10;
  *low = middle << 32 | (uint32_t)p00;
  return a1 * b1 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
}

// g c / 2^128 with g a power; the last bit is set if nonzero bits are cut off
static uint64_t scale_to_odd(const uint64_t g[2], uint64_t c) {
  uint64_t low, rest;
  const uint64_t carry = multiply_words(g[1], c, &rest);
  uint64_t high = multiply_words(g[0], c, &low);
  low += carry;
  high += low < carry;
  return high | (low > 1);
}

// the shortest decimal of c 2^q, the nearest of these; false: its power is not in the table.
// `closer`: the lower neighbor is at half the distance of the upper one
static bool find_shortest(uint64_t c, int q, bool closer, decimal *out) {
  // k = floor(log10 2^q), or of 3/4 2^q if `closer`; h such that products have 64 bits
  const int k = (q * 1262611 - (closer ? 524031 : 0)) >> 22;
  const int h = q + ((-k * 1741647) >> 19) + 1;
  if (-k < FIRST || -k > LAST) return false;

  // four times x and the interval ends, times 10^-k; for even c the ends read back as well
  const uint64_t *g = powers[-k - FIRST];
  const uint64_t odd = c & 1;
  const uint64_t x = scale_to_odd(g, (4 * c) << h);
  const uint64_t low = scale_to_odd(g, (4 * c - 2 + closer) << h) + odd;
  const uint64_t high = scale_to_odd(g, (4 * c + 2) << h) - odd;

  // with one digit less, at most one of the two neighbors is in the interval
  const uint64_t s = x / 4, tens = s / 10;
  const bool below = low <= 40 * tens, above = 40 * tens + 40 <= high;
  if (s >= 10 && below != above) {
    *out = (decimal){tens + above, k + 1};
    return true;
  }

  // otherwise the one of two that is inside, or the nearer one, or for a tie the even one
  const bool floor_in = low <= 4 * s, ceiling_in = 4 * s + 4 <= high;
  bool up = ceiling_in;
  if (floor_in == ceiling_in) up = x > 4 * s + 2 || (x == 4 * s + 2 && (s & 1));
  *out = (decimal){s + up, k};
  return true;
}

// by trial; returns the length
static int try_digits(double x, char *text) {
  int n = 0;
  for (int digits = 15; digits <= 17; digits++) {
    n = snprintf(text, DM_DECIMAL, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  return n;
}

// format d 10^e as %.17g does; returns the length
static int put_decimal(decimal x, char *text) {
  char digits[20];
  char *at = text;
  int n = 0, first = sizeof digits;
  while (x.d % 10 == 0) {
    x.d /= 10;
    x.e++;
  }
  for (uint64_t d = x.d; d; d /= 10) digits[--first] = (char)('0' + d % 10);
  n = (int)sizeof digits - first;
  const char *digit = digits + first;

  // exponent of the first digit; 1.5e-07, 0.00015, 15000, 1.5
  const int power = x.e + n - 1;
  if (power < -4 || power >= 17) {
    *at++ = *digit;
    if (n > 1) *at++ = '.';
    memcpy(at, digit + 1, (size_t)n - 1);
    at += n - 1;
    return (int)(at - text) + snprintf(at, 8, "e%+03d", power);
  }
  const int whole = power < 0 ? 0 : power + 1; // digits before the point
  const int before = whole < n ? whole : n;
  memcpy(at, digit, (size_t)before);
  memset(at + before, '0', (size_t)(whole - before));
  at += whole;
  if (before == n) return (int)(at - text);

  // a zero before the point, and zeros after it
  const int zeros = power < 0 ? -power - 1 : 0;
  if (!whole) *at++ = '0';
  *at++ = '.';
  memset(at, '0', (size_t)zeros);
  memcpy(at + zeros, digit + before, (size_t)(n - before));
  return (int)(at - text) + zeros + n - before;
}

int dm_decimal_put(double x, char text[DM_DECIMAL]) {
  enum { BITS = 52, BIAS = 1075 };
  uint64_t bits;
  decimal out;
  memcpy(&bits, &x, sizeof bits);
  const uint64_t fraction = bits & ((UINT64_C(1) << BITS) - 1);
  const int exponent = (int)(bits >> BITS & 0x7ff);

  // zero is frequent; denormals, infinity and NaN are rare
  if (x == 0) {
    const bool negative = bits >> 63;
    strcpy(text, negative ? "-0" : "0");
    return 1 + negative;
  }
  if (exponent == 0 || exponent == 0x7ff) return try_digits(x, text);
  const uint64_t c = fraction | UINT64_C(1) << BITS;
  const int q = exponent - BIAS;
  if (!find_shortest(c, q, fraction == 0, &out)) return try_digits(x, text);

  text[0] = '-';
  const int sign = x < 0;
  const int n = sign + put_decimal(out, text + sign);
  text[n] = 0;
  return n;
}

// -- reading

// append the digits at *at to d; returns their number
static int take_digits(const char **at, uint64_t *d) {
  const char *from = *at;
  for (; **at >= '0' && **at <= '9'; ++*at) *d = 10 * *d + (uint64_t)(**at - '0');
  return (int)(*at - from);
}

// value of an exponent after the e; false: missing, or more digits than a double allows
static bool take_exponent(const char **at, int *e) {
  const bool negative = **at == '-';
  uint64_t value = 0;
  if (**at == '-' || **at == '+') ++*at;
  const int digits = take_digits(at, &value);
  if (digits == 0 || digits > 3) return false;
  *e += negative ? -(int)value : (int)value;
  return true;
}

// digits with optional point and exponent that fit in 64 bits; false: use strtod
static bool take_decimal(const char **at, decimal *out) {
  enum { MOST = 19 };
  *out = (decimal){0, 0};
  int digits = take_digits(at, &out->d);
  if (**at == '.') {
    ++*at;
    out->e = -take_digits(at, &out->d);
    digits -= out->e;
  }
  if (digits == 0 || digits > MOST || **at == 'x' || **at == 'X') return false;
  if (**at != 'e' && **at != 'E') return true;
  ++*at;
  return take_exponent(at, &out->e);
}

static int count_zeros(uint64_t d) {
  int n = 0;
  for (int half = 32; half > 0; half /= 2)
    if (!(d >> (64 - half))) {
      d <<= half;
      n += half;
    }
  return n;
}

// bits of the double nearest to a positive decimal; false: the table is not accurate enough, or has
// no such power
static bool find_nearest(decimal x, uint64_t *bits) {
  enum { CUT = 10, BIAS = 1023, FRACTION = 52 };
  if (x.e < FIRST || x.e > LAST) return false;
  const uint64_t *g = powers[x.e - FIRST];
  const int zeros = count_zeros(x.d);

  // d g in words: high, low, and one that is cut off; the first bit is that of high or the next
  uint64_t low, rest;
  const uint64_t carry = multiply_words(g[1], x.d << zeros, &rest);
  uint64_t high = multiply_words(g[0], x.d << zeros, &low);
  low += carry;
  high += low < carry;
  const int first = (int)(high >> 63), cut = CUT + first;

  // undecidable if the bits after the 53rd are next to a half, where the cut-off part matters
  const uint64_t behind = high & ((UINT64_C(1) << cut) - 1), half = UINT64_C(1) << (cut - 1);
  if ((behind == half && low < 2) || (behind == half - 1 && low >= UINT64_MAX - 1)) return false;

  // a carry from the fraction propagates to the exponent
  const uint64_t c = (high >> cut) + (behind >= half);
  const int power = ((x.e * 1741647) >> 19) + 63 + first - zeros;
  *bits = ((uint64_t)(power + BIAS) << FRACTION) + (c - (UINT64_C(1) << FRACTION));
  return true;
}

double dm_decimal_read(const char *text, char **end) {
  const bool negative = *text == '-';
  const char *at = text + (negative || *text == '+');
  decimal x;
  uint64_t bits = 0;
  if (!take_decimal(&at, &x) || (x.d && !find_nearest(x, &bits))) return strtod(text, end);

  double value;
  memcpy(&value, &bits, sizeof value);
  *end = (char *)at;
  return negative ? -value : value;
}
