"""The words of the machine: instructions that fast kernels need, and that Python and NumPy lack.

Passing arrays to helpers costs time: each array is seven numbers. The *address* of the first byte is one. So fast
kernels work on addresses, plain int64, and this file has all the words that turn an address into data and back.

    word                          in C                                      one instruction on most machines
    ----------------------------  ----------------------------------------  --------------------------------
    load8(at)                     *(uint8_t *)at                            yes; so are load32 and load64
    store32(at, value)            *(uint32_t *)at = value                   yes; so is store64
    record_at(dtype)(at).field    ((struct dtype *)at)->field               yes; so is the assignment
    copy16(to, at)                memmove(to, at, 16)                       two
    copy15(to, at)                the same, and to[15] = 0                  three
    differs16(at, other)          memcmp(at, other, 16) != 0                two or three
    fetch(at)                     __builtin_prefetch(at)                    yes; nothing is read, nothing can fail
    swap64(value)                 __builtin_bswap64(value)                  yes
    trailing_zeros(mask)          __builtin_ctzll(mask), 64 for 0           yes
    leading_zeros(mask)           __builtin_clzll(mask), 64 for 0           yes
    ones(mask)                    __builtin_popcountll(mask)                yes
    fold(a, b)                    high ^ low half of the 128-bit a * b      two
    bits_of(number)               *(uint32_t *)&number, a float             yes; so is float_of
    byte_mask(at, or, low, n)     a loop over 64 bytes, one bit for each    four to eight on x86
    smallest(at)                  the smallest of 16 uint32_t               four to eight on x86
    take(at)                      atomic_fetch_add(at, 1), an int64_t       yes; no two threads get the same number
    publish(at, value)            atomic_store(at, value), an int64_t       yes; so is published

Addresses may be odd, except for the last two lines: loads and stores are unaligned. Numbers are little-endian, as on
every platform that Numba supports; ``load64`` of ``b"abcdefgh"`` has ``a`` in its lowest byte.

``byte_mask`` makes the splitter fast. It compares 64 bytes at once with a range::

    text       I   ' l l   p a y   1 2
    digits     0   0 0 0   0 0 0   1 1       byte_mask(at, 0, ord("0"), 10)
    letters    1   0 1 1   1 1 1   0 0       byte_mask(at, 0x20, ord("a"), 26)     "| 0x20" makes upper case lower

The answers, bit k for byte k, are combined with ``&``, ``|``, ``~`` and shifts: 64 decisions in one operation. It is
written as a comparison of LLVM vectors, which LLVM turns into SSE2, AVX2, AVX-512 or NEON, or into ordinary
instructions on other processors.

Three rules keep this safe. Memory is allocated in Python and lives as long as its address is in use: nothing here
allocates or frees. Nothing here checks a length: the calling kernel must know which bytes may be read. And a mask is
always uint64, never mixed with a signed number, since NumPy and Numba turn such a mixture into a float.

``call`` jumps to a compiled function by its address. Numba would compile a function again into each caller; a large
kernel with several callers is compiled once and called this way.

With NUMBA_DISABLE_JIT=1 ``machine_plain`` replaces all of it: the same words in plain Python.
"""

from __future__ import annotations

from llvmlite import ir
from numba import from_dtype, types
from numba.extending import intrinsic

from minbpe_course.kernels.common.compiled import COMPILING, PLAIN, compiled, compiled_address, helper

_I1, _I8, _I32, _I64, _I128 = (ir.IntType(bits) for bits in (1, 8, 32, 64, 128))
_F32 = ir.FloatType()
_WINDOW = 64


def _pointer(builder, address, to):
    return builder.inttoptr(address, to.as_pointer())


def _load(builder, address, of):
    return builder.load(_pointer(builder, address, of), align=1)


def _intrinsic_function(builder, name, result, arguments):
    """Declare one of LLVM's own functions in the module that is being built."""
    module = builder.function.module
    if name in module.globals:
        return module.globals[name]
    return ir.Function(module, ir.FunctionType(result, arguments), name)


def _splat(builder, value, vector):
    """Return a vector of 64 times the lowest byte of ``value``."""
    byte = builder.trunc(value, _I8)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), byte, ir.Constant(_I32, 0))
    places = ir.Constant(ir.VectorType(_I32, _WINDOW), [0] * _WINDOW)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), places)


def _loading(bits, result):
    @intrinsic
    def load(typing_context, address):
        def build(context, builder, signature, arguments):
            value = _load(builder, arguments[0], bits)
            return value if bits is _I64 else builder.zext(value, _I64)

        return result(types.int64), build

    return load


def _storing(bits, argument):
    @intrinsic
    def store(typing_context, address, value):
        def build(context, builder, signature, arguments):
            value = arguments[1] if bits is _I64 else builder.trunc(arguments[1], bits)
            builder.store(value, _pointer(builder, arguments[0], bits), align=1)
            return context.get_dummy_value()

        return types.void(types.int64, argument), build

    return store


# One, four or eight bytes at an address. The i of loadi64 and storei64 is for int64: a length or another address.
load8, load32 = _loading(_I8, types.int64), _loading(_I32, types.int64)
load64, loadi64 = _loading(_I64, types.uint64), _loading(_I64, types.int64)
store8, store32 = _storing(_I8, types.int64), _storing(_I32, types.int64)
store64, storei64 = _storing(_I64, types.uint64), _storing(_I64, types.int64)


@intrinsic
def copy16(typing_context, to, source):
    """Copy 16 bytes; both places may overlap."""

    def build(context, builder, signature, arguments):
        builder.store(_load(builder, arguments[1], _I128), _pointer(builder, arguments[0], _I128), align=1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), build


@intrinsic
def copy15(typing_context, to, source):
    """Copy 15 bytes, and write a zero after them."""

    def build(context, builder, signature, arguments):
        vector = ir.VectorType(_I64, 2)
        kept = builder.and_(_load(builder, arguments[1], vector), ir.Constant(vector, [(1 << 64) - 1, (1 << 56) - 1]))
        builder.store(kept, _pointer(builder, arguments[0], vector), align=1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), build


@intrinsic
def differs16(typing_context, left, right):
    """Return 1 if the 16 bytes in two places differ, 0 if they are the same."""

    def build(context, builder, signature, arguments):
        left, right = (_load(builder, argument, _I128) for argument in arguments)
        return builder.zext(builder.icmp_unsigned("!=", left, right), _I64)

    return types.int64(types.int64, types.int64), build


@intrinsic
def fetch(typing_context, address):
    """Ask for the cache line of ``address``, to be there when it is read soon. Any address will do."""

    def build(context, builder, signature, arguments):
        pointer = _pointer(builder, arguments[0], _I8)
        name = "llvm.prefetch.p0" if not hasattr(_I8.as_pointer(), "is_opaque") else "llvm.prefetch.p0i8"
        function = _intrinsic_function(builder, name, ir.VoidType(), [pointer.type, _I32, _I32, _I32])
        builder.call(function, [pointer, ir.Constant(_I32, 0), ir.Constant(_I32, 3), ir.Constant(_I32, 1)])
        return context.get_dummy_value()

    return types.void(types.int64), build


@intrinsic
def call(typing_context, function, argument):
    """Call the compiled function at the address ``function``, which takes one int64 and returns one."""

    def build(context, builder, signature, arguments):
        kind = ir.FunctionType(_I64, [_I64])
        return builder.call(_pointer(builder, arguments[0], kind), [arguments[1]])

    return types.int64(types.int64, types.int64), build


def record_at(dtype):
    """Return the word that shows the bytes at an address as a record, a numpy dtype with named fields.

    ``record_at(dtype)(address).out += 4`` reads and writes memory at the place of the field ``out``; nothing is copied.
    """
    record = from_dtype(dtype)

    @intrinsic
    def view(typing_context, address):
        def build(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return record(types.int64), build

    return view


@intrinsic
def address_of(typing_context, record):
    """Return the address of a record that ``record_at`` shows."""

    def build(context, builder, signature, arguments):
        return builder.ptrtoint(arguments[0], _I64)

    return types.int64(record), build


def _calculating(result, argument, code):
    @intrinsic
    def calculate(typing_context, value):
        def build(context, builder, signature, arguments):
            return code(builder, arguments[0])

        return result(argument), build

    return calculate


# Zero bits below the lowest and above the highest 1 bit (64 for 0), 1 bits, and the eight bytes in the other order, so
# that numbers sort as bytes in memory do.
trailing_zeros = _calculating(types.int64, types.uint64, lambda builder, mask: builder.cttz(mask, ir.Constant(_I1, 0)))
leading_zeros = _calculating(types.int64, types.uint64, lambda builder, mask: builder.ctlz(mask, ir.Constant(_I1, 0)))
ones = _calculating(types.int64, types.uint64, lambda builder, mask: builder.ctpop(mask))
swap64 = _calculating(types.uint64, types.uint64, lambda builder, value: builder.bswap(value))

# The 32 bits of a float32 as an int64, and the other way round.
bits_of = _calculating(
    types.int64, types.float32, lambda builder, number: builder.zext(builder.bitcast(number, _I32), _I64)
)
float_of = _calculating(
    types.float32, types.int64, lambda builder, bits: builder.bitcast(builder.trunc(bits, _I32), _F32)
)


@intrinsic
def fold(typing_context, left, right):
    """Return the 128-bit product of two uint64, its halves joined by exclusive or; this mixes all bits."""

    def build(context, builder, signature, arguments):
        left, right = (builder.zext(argument, _I128) for argument in arguments)
        product = builder.mul(left, right)
        high = builder.trunc(builder.lshr(product, ir.Constant(_I128, 64)), _I64)
        return builder.xor(builder.trunc(product, _I64), high)

    return types.uint64(types.uint64, types.uint64), build


@intrinsic
def byte_mask(typing_context, address, set_bits, low, count):
    """Return 64 bits: bit k says whether ``(byte k | set_bits) - low``, taken modulo 256, is below ``count``."""

    def build(context, builder, signature, arguments):
        vector = ir.VectorType(_I8, _WINDOW)
        data = _load(builder, arguments[0], vector)
        set_bits, low, count = (_splat(builder, argument, vector) for argument in arguments[1:])
        shifted = builder.sub(builder.or_(data, set_bits), low)
        return builder.bitcast(builder.icmp_unsigned("<", shifted, count), _I64)

    return types.uint64(types.int64, types.int64, types.int64, types.int64), build


@intrinsic
def smallest(typing_context, address):
    """Return the smallest of the 16 numbers of four bytes from ``address`` on."""

    def build(context, builder, signature, arguments):
        vector = ir.VectorType(_I32, 16)
        name = "llvm.vector.reduce.umin.v16i32"
        function = _intrinsic_function(builder, name, _I32, [vector])
        return builder.zext(builder.call(function, [_load(builder, arguments[0], vector)]), _I64)

    return types.int64(types.int64), build


@intrinsic
def take(typing_context, address):
    """Add 1 to the int64 at ``address``, which threads share, and return what it was."""

    def build(context, builder, signature, arguments):
        return builder.atomic_rmw("add", _pointer(builder, arguments[0], _I64), ir.Constant(_I64, 1), "seq_cst")

    return types.int64(types.int64), build


@intrinsic
def publish(typing_context, address, value):
    """Store an int64; a thread that sees it with ``published`` also sees what was stored before."""

    def build(context, builder, signature, arguments):
        builder.store_atomic(arguments[1], _pointer(builder, arguments[0], _I64), "release", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), build


@intrinsic
def published(typing_context, address):
    """Return the int64 that a thread stored with ``publish``."""

    def build(context, builder, signature, arguments):
        return builder.load_atomic(_pointer(builder, arguments[0], _I64), "acquire", 8)

    return types.int64(types.int64), build


@helper
def copy(to, source, length):
    """Copy bytes, 16 at a time: up to 15 after them are overwritten."""
    for k in range(0, length, 16):
        copy16(to + k, source + k)


class addressed:
    """A compiled function that others reach by its address: one int64 in, one int64 out.

    It is compiled at the first use of ``address``.
    """

    def __init__(self, function):
        self.function = function

    def __getattr__(self, name):
        """Compile at the first use of ``address``, the address for ``call`` or ``run``."""
        if name != "address":
            raise AttributeError(name)
        with COMPILING:
            if "address" not in vars(self):
                self.address = compiled_address(self.function)
        return self.address


@compiled
def run(function, argument):
    """Call a kernel as ``call`` does, but from Python and without the GIL."""
    return call(function, argument)


if PLAIN:
    from minbpe_course.kernels.common.machine_plain import *  # noqa: F403
