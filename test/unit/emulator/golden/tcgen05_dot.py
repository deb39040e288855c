"""Writes tcgen05_dot.inc: sums of products as tcgen05.mma forms them.

The rules are those of the public model that its authors compared with a B200
(sf-tensor/tcgen05, tcgen05_model/MODEL.md, sections 2 to 4), computed here with
unbounded integers: every product and C are truncated toward zero to a multiple
of 2^(largest exponent - 25), where a product's exponent is the sum of its
factors' raw exponents and a subnormal's is that of the smallest normal number;
the sum is exact; it is rounded toward zero to f32, or to nearest even to f16.

Inputs come from a generator that the test has, too, so that the file holds the
results alone.  python3 tcgen05_dot.py > tcgen05_dot.inc
"""

# name: exponent bits, fraction bits, bias, what the largest exponent holds
TYPES = {
    "F16": (5, 10, 15, "ieee"),
    "BF16": (8, 7, 127, "ieee"),
    "TF32": (8, 10, 127, "ieee"),
    "E4M3": (4, 3, 7, "fn"),
    "E5M2": (5, 2, 15, "ieee"),
    "E2M3": (2, 3, 1, "finite"),
    "E3M2": (3, 2, 3, "finite"),
    "E2M1": (2, 1, 1, "finite"),
}
CASES = [
    ("F16", "F16", 16, "F32"),
    ("F16", "F16", 16, "F16"),
    ("BF16", "BF16", 16, "F32"),
    ("TF32", "TF32", 8, "F32"),
    ("E4M3", "E4M3", 32, "F32"),
    ("E5M2", "E4M3", 32, "F32"),
    ("E2M3", "E3M2", 32, "F32"),
    ("E2M1", "E5M2", 32, "F32"),
    ("E4M3", "E5M2", 32, "F16"),
]
ROWS, COLUMNS = 16, 8


class Draw:
    def __init__(self, seed):
        self.state = seed

    def __call__(self):
        self.state = (self.state * 1664525 + 1013904223) % 2**32
        return self.state >> 8

    def element(self, kind):
        """A bit pattern; wide exponents stay near 1, few are not finite."""
        e, m, bias, top = TYPES[kind]
        bits = self() % 2 ** (1 + e + m)
        field, fraction, sign = bits >> m & 2**e - 1, bits % 2**m, bits >> e + m
        if e == 8:
            field = 112 + field % 32 if field else 0
        rare = self() % 512 == 0
        if field == 2**e - 1 and top != "finite" and not rare:
            field -= 1
        return sign << e + m | field << m | fraction

    def addend(self, output):
        if self() % 8 == 0:
            return 0
        bits = self() | self() << 24
        if output == "F16":
            return bits & 0x8000 | (8 + (bits >> 16) % 16) << 10 | bits & 0x3FF
        sign, exponent = bits >> 31 & 1, 110 + (bits >> 32) % 36
        return sign << 31 | exponent << 23 | bits & 0x7FFFFF


def decompose(kind, bits):
    """Significand, exponent of its last bit, raw exponent; or a word."""
    e, m, bias, top = TYPES[kind]
    field, fraction, sign = bits >> m & 2**e - 1, bits % 2**m, bits >> e + m
    if field == 2**e - 1:
        if top == "ieee":
            return "nan" if fraction else ("-inf" if sign else "+inf")
        if top == "fn" and fraction == 2**m - 1:
            return "nan"
    raw = max(field, 1) - bias
    value = fraction + (2**m if field else 0)
    return (-value if sign else value, raw - m, raw)


def truncate(value, exponent, unit):
    shift = exponent - unit
    if shift >= 0:
        return value << shift
    magnitude = abs(value) >> -shift
    return -magnitude if value < 0 else magnitude


def rounded(total, unit, output):
    """total * 2^unit: toward zero to f32, to nearest even to f16."""
    e, m, bias = (8, 23, 127) if output == "F32" else (5, 10, 15)
    if total == 0:
        return 0
    sign, magnitude = total < 0, abs(total)
    exponent = max(magnitude.bit_length() - 1 + unit, 1 - bias)
    drop = exponent - m - unit
    if drop <= 0:
        kept = magnitude << -drop
    else:
        kept, rest = magnitude >> drop, magnitude % 2**drop
        half = 2 ** (drop - 1)
        if output == "F16" and (rest > half or (rest == half and kept & 1)):
            kept += 1
    # A carry runs into the exponent field, as it should.
    field = (exponent + bias - 1 << m) + kept
    field = min(field, (2**e - 1) << m)
    return int(sign) << e + m | field


def dot(kind_a, a, kind_b, b, c, output):
    special = []
    terms = []
    for x, y in zip(a, b):
        p, q = decompose(kind_a, x), decompose(kind_b, y)
        if isinstance(p, str) or isinstance(q, str):
            words = [t for t in (p, q) if isinstance(t, str)]
            numbers = [t[0] for t in (p, q) if not isinstance(t, str)]
            if "nan" in words or 0 in numbers:
                special.append("nan")
                continue
            negative = sum(w == "-inf" for w in words) + sum(
                v < 0 for v in numbers
            )
            special.append("-inf" if negative % 2 else "+inf")
            continue
        if p[0] and q[0]:
            terms.append((p[0] * q[0], p[1] + q[1], p[2] + q[2]))
    addend = ("F16", 0) if output == "F16" else ("F32", 0)
    TYPES["F32"] = (8, 23, 127, "ieee")
    value = decompose(addend[0], c)
    if value[0]:
        terms.append(value)
    infinity = 0x7C00 if output == "F16" else 0x7F800000
    if special:
        if len(set(special)) > 1 or special[0] == "nan":
            return 0x7FFF if output == "F16" else 0x7FFFFFFF
        sign = 0x8000 if output == "F16" else 0x80000000
        return infinity | (sign if special[0] == "-inf" else 0)
    if not terms:
        return 0
    unit = max(raw for _, _, raw in terms) - 25
    total = sum(truncate(v, e, unit) for v, e, _ in terms)
    return rounded(total, unit, output)


def main():
    print("// Written by golden/tcgen05_dot.py; do not edit.")
    for index, (kind_a, kind_b, depth, output) in enumerate(CASES):
        draw = Draw(index + 1)
        a = [[draw.element(kind_a) for _ in range(depth)] for _ in range(ROWS)]
        b = [[draw.element(kind_b) for _ in range(depth)] for _ in range(COLUMNS)]
        c = [[draw.addend(output) for _ in range(COLUMNS)] for _ in range(ROWS)]
        print(f"{{MmaElement::{kind_a}, MmaElement::{kind_b},")
        print(f" MmaAccumulator::{output}, {{")
        for row in range(ROWS):
            words = (
                f"0x{dot(kind_a, a[row], kind_b, b[n], c[row][n], output):x}"
                for n in range(COLUMNS)
            )
            print("  " + ", ".join(words) + ",")
        print("}},")


main()
