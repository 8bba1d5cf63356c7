"""A Unigram lattice as arrays: its n best paths, the sums of its paths, a random path.

    edge     begin, end: bytes from the beginning of the text; id; score, float32     16 bytes, in the order of begins
    order    the numbers of the edges in the order of their ends, stable; those that end at a byte are
             order[starts[byte]] to order[starts[byte + 1]]

Two blocks hold the addresses: the encoder's (``layout``) and ``work`` (WORK below). The text is as ``normalize`` writes
it. A path is written as pieces, the last one first, for ``unigram.write_path``.

``reference.n_best`` explains the search for the n best paths: candidates wait in a heap that moves its items as GNU's
C++ library does. The end of a path takes 16 bytes: its first edge, the number of the end that follows that edge, the
sum that it promises, and its own sum. Reference implementations: ``reference.lattice``, ``reference.n_best``,
``reference.sampling``.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.compiled import compiled, helper
from minbpe_course.kernels.sentencepiece.piece_trie import NO_PIECE, ROOT, base_of, character_size, is_child, piece_of
from minbpe_course.kernels.sentencepiece.unigram import write_path
from minbpe_course.kernels.sentencepiece.unigram_search import UNKNOWN, path_of

# Addresses, except for room (how many edges fit), size (bytes of the text), count (how many edges there are), and the
# numbers after it, with which an interrupted search continues.
WORK = layout.int64_fields(
    "scores edges room order starts edge_sums sums before hypotheses heap seen found found_scores text size count"
    " best waiting made ever since look_again forgettings paths"
)
work_block = machine.record_at(WORK)

BEGIN, END, ID, SCORE, EDGE = 0, 4, 8, 12, 16
FIRST, AFTER, PROMISE, BEHIND, HYPOTHESIS = 0, 4, 8, 12, 16
NO_EDGE, TEXT_BEGIN, TEXT_END = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD

MOST_WAITING, KEPT_WAITING, MOST_ENDS, ENDS_BETWEEN, MOST_FORGETTINGS = 10_000, 512, 500_000, 100_000, 10
# After so many steps the search returns UNFINISHED, so that the caller can look at the clock, as sentencepiece does.
STEPS_BETWEEN, UNFINISHED = 4096, -1
ZERO_SUM = np.float32(0.0)


@helper
def _float(address):
    return machine.float_of(machine.load32(address))


@helper
def _put_edge(work, number, begin, end, piece, score):
    """Write an edge, if there is room for it; return how many there are with it."""
    if number < work.room:
        edge = work.edges + EDGE * number
        machine.store32(edge + BEGIN, begin)
        machine.store32(edge + END, end)
        machine.store32(edge + ID, piece)
        machine.store32(edge + SCORE, machine.bits_of(score))
    return number + 1


@compiled
def lay_lattice(address, work_at):
    """Write all edges over the text, then ``order`` and ``starts`` (uint32[size + 2]); return how many edges there are.

    If there are more than ``room``, nothing else is written.
    """
    work = work_block(work_at)
    block = layout.block_at(address)
    nodes = block.nodes
    scores = work.scores
    unknown = machine.float_of(block.unknown_score)
    root = base_of(machine.load64(nodes + 8 * ROOT))
    text, size = work.text, work.size
    number = np.int64(0)
    at = np.int64(0)
    while at < size:
        width = character_size(machine.load8(text + at))
        alone = False
        base = root
        place = at
        while place < size:
            byte = machine.load8(text + place)
            node = machine.load64(nodes + 8 * (base ^ byte))
            if not is_child(node, byte):
                break
            base = base_of(node)
            place += 1
            piece = piece_of(node)
            if piece != NO_PIECE:
                number = _put_edge(work, number, at, place, piece, _float(scores + 4 * piece))
                alone |= place - at == width
        if not alone:
            number = _put_edge(work, number, at, at + width, UNKNOWN, unknown)
        at += width
    work.count = number
    if number > work.room:
        return number
    # Counting sort by the ends.
    edges, order, starts = work.edges, work.order, work.starts
    for place in range(size + 2):
        machine.store32(starts + 4 * place, 0)
    for k in range(number):
        slot = starts + 4 * machine.load32(edges + EDGE * k + END) + 4
        machine.store32(slot, machine.load32(slot) + 1)
    for place in range(size + 1):
        above = machine.load32(starts + 4 * place)
        machine.store32(starts + 4 * place + 4, machine.load32(starts + 4 * place + 4) + above)
    for k in range(number - 1, -1, -1):
        # From the last to the first: the end of each stretch moves down to its begin.
        slot = starts + 4 * machine.load32(edges + EDGE * k + END) + 4
        above = machine.load32(slot) - 1
        machine.store32(slot, above)
        machine.store32(order + 4 * above, k)
    # Now starts[end + 1] is where the stretch of ``end`` begins.
    for place in range(size + 1):
        machine.store32(starts + 4 * place, machine.load32(starts + 4 * place + 4))
    machine.store32(starts + 4 * (size + 1), number)
    return number


@helper
def _viterbi(work):
    """Write the best sum of a path that ends with each edge to ``edge_sums``; return the best sum of all.

    Write the best edge to each place to ``before``, NO_EDGE for none.
    """
    edges, order, starts = work.edges, work.order, work.starts
    sums, before = work.edge_sums, work.before
    size, count = work.size, work.count
    best = ZERO_SUM
    number = 0
    for place in range(size + 1):
        best = ZERO_SUM
        chosen = NO_EDGE
        for k in range(machine.load32(starts + 4 * place), machine.load32(starts + 4 * place + 4)):
            edge = machine.load32(order + 4 * k)
            if chosen == NO_EDGE or _float(sums + 4 * edge) > best:
                chosen, best = edge, _float(sums + 4 * edge)
        machine.store32(before + 4 * place, chosen)
        while number < count and machine.load32(edges + EDGE * number + BEGIN) == place:
            total = best + _float(edges + EDGE * number + SCORE)
            machine.store32(sums + 4 * number, machine.bits_of(total))
            number += 1
    return best


@helper
def _promise(work, number):
    return _float(work.hypotheses + HYPOTHESIS * number + PROMISE)


@helper
def _rise(work, heap, at, item):
    """Put an item into the gap, or higher, while the item above promises less."""
    promise = _promise(work, item)
    while at > 0:
        above = machine.load32(heap + 4 * ((at - 1) >> 1))
        if not _promise(work, above) < promise:
            break
        machine.store32(heap + 4 * at, above)
        at = (at - 1) >> 1
    machine.store32(heap + 4 * at, item)


@helper
def _pop(work, heap, size):
    """Remove and return the first of ``size`` items: the gap sinks to the bottom, and the last item rises there."""
    top = machine.load32(heap)
    size -= 1
    last = machine.load32(heap + 4 * size)
    gap = 0
    while size > 0:
        child = 2 * gap + 2
        if child > size:
            break
        if child == size or _promise(work, machine.load32(heap + 4 * child)) < _promise(
            work, machine.load32(heap + 4 * child - 4)
        ):
            child -= 1
        machine.store32(heap + 4 * gap, machine.load32(heap + 4 * child))
        gap = child
    if size > 0:
        _rise(work, heap, gap, last)
    return top


@helper
def _end(work, number, first, after, promise, behind):
    """Write an end of a path."""
    at = work.hypotheses + HYPOTHESIS * number
    machine.store32(at + FIRST, first)
    machine.store32(at + AFTER, after)
    machine.store32(at + PROMISE, machine.bits_of(promise))
    machine.store32(at + BEHIND, machine.bits_of(behind))


@helper
def _forget(work, heap, size, keep, round_number):
    """Keep the ``keep`` best of the heap; return how many ends they consist of, counting shared ones once."""
    ends, seen = work.hypotheses, work.seen
    # After the heap, where the kept ones wait to become the heap.
    aside = heap + 4 * size
    for k in range(keep):
        machine.store32(aside + 4 * k, _pop(work, heap, size - k))
    alive = 0
    for k in range(keep):
        item = machine.load32(aside + 4 * k)
        _rise(work, heap, k, item)
        while item != NO_EDGE and machine.load8(seen + item) != round_number:
            machine.store8(seen + item, round_number)
            alive += 1
            item = machine.load32(ends + HYPOTHESIS * item + AFTER)
    return alive


@helper
def _best_alone(work, number, best):
    """Write the ends of the best path after the ``number`` ends there are, as the only path that is found; return 1."""
    before, edges = work.before, work.edges
    _end(work, number, TEXT_END, NO_EDGE, best, ZERO_SUM)
    place = work.size
    while place > 0:
        edge = machine.load32(before + 4 * place)
        _end(work, number + 1, edge, number, best, ZERO_SUM)
        number += 1
        place = machine.load32(edges + EDGE * edge + BEGIN)
    _end(work, number + 1, TEXT_BEGIN, number, best, ZERO_SUM)
    machine.store32(work.found, number + 1)
    machine.store32(work.found_scores, machine.bits_of(best))
    return 1


@compiled
def best_paths(work_at, wanted, stop):
    """Search the ``wanted`` best paths of a lattice; return how many were found, or UNFINISHED: then call again.

    ``found`` : uint32[wanted], their ends · ``found_scores`` : float32[wanted] · ``edge_sums`` : float32, ``before`` :
    uint32[size + 1] · ``hypotheses`` : 16 bytes for each end: MOST_ENDS, and as many as there are edges and places ·
    ``heap`` : uint32 for MOST_WAITING and KEPT_WAITING and each edge · ``seen`` : a byte for each end, zeros · stop :
    end an unfinished search with the best path alone.
    """
    work = work_block(work_at)
    edges, order, starts = work.edges, work.order, work.starts
    sums, ends, heap = work.edge_sums, work.hypotheses, work.heap
    if work.made == 0:
        first_best = _viterbi(work)
        work.best = np.int64(machine.bits_of(first_best))
        _end(work, 0, TEXT_END, NO_EDGE, first_best, ZERO_SUM)
        machine.store32(heap, 0)
        work.waiting = work.made = work.ever = work.since = 1
        work.look_again = ENDS_BETWEEN
    best = machine.float_of(np.uint32(work.best))
    waiting, made, ever, since = work.waiting, work.made, work.ever, work.since
    look_again, forgettings, found = work.look_again, work.forgettings, work.paths
    if stop:
        return _best_alone(work, made, best)
    keep = min(KEPT_WAITING, 10 * wanted)
    steps = 0
    while waiting > 0:
        if steps == STEPS_BETWEEN:
            work.waiting, work.made, work.ever, work.since = waiting, made, ever, since
            work.look_again, work.forgettings, work.paths = look_again, forgettings, found
            return UNFINISHED
        steps += 1
        top = _pop(work, heap, waiting)
        waiting -= 1
        first = machine.load32(ends + HYPOTHESIS * top + FIRST)
        if first == TEXT_BEGIN:
            machine.store32(work.found + 4 * found, top)
            score = machine.load32(ends + HYPOTHESIS * top + PROMISE)
            machine.store32(work.found_scores + 4 * found, score)
            found += 1
            if found == wanted:
                break
            continue
        place = work.size if first == TEXT_END else machine.load32(edges + EDGE * first + BEGIN)
        behind = _float(ends + HYPOTHESIS * top + BEHIND)
        before = made
        if place == 0:
            _end(work, made, TEXT_BEGIN, top, behind, behind)
            _rise(work, heap, waiting, made)
            waiting += 1
            made += 1
        for k in range(machine.load32(starts + 4 * place), machine.load32(starts + 4 * place + 4)):
            edge = machine.load32(order + 4 * k)
            promise = _float(sums + 4 * edge) + behind
            _end(work, made, edge, top, promise, _float(edges + EDGE * edge + SCORE) + behind)
            _rise(work, heap, waiting, made)
            waiting += 1
            made += 1
        ever += made - before
        since += made - before
        if ever >= MOST_ENDS:
            return _best_alone(work, made, best)
        if waiting >= MOST_WAITING or (waiting > keep and since >= look_again):
            if forgettings >= MOST_FORGETTINGS:
                return _best_alone(work, made, best)
            forgettings += 1
            kept = min(keep, waiting)
            since = _forget(work, heap, waiting, kept, (forgettings - 1) % 255 + 1)
            waiting = kept
            look_again = since + ENDS_BETWEEN
    return found


@compiled
def write_found(address, work_at, number):
    """Write ids and spans of path ``number`` of ``found`` to ``out`` and ``spans`` of the block; return how many."""
    work = work_block(work_at)
    block = layout.block_at(address)
    edges, ends, path = work.edges, work.hypotheses, path_of(block)
    top = machine.load32(work.found + 4 * number)
    count = 0
    end = machine.load32(ends + HYPOTHESIS * top + AFTER)
    while machine.load32(ends + HYPOTHESIS * end + AFTER) != NO_EDGE:
        count += 1
        end = machine.load32(ends + HYPOTHESIS * end + AFTER)
    end = machine.load32(ends + HYPOTHESIS * top + AFTER)
    for k in range(count - 1, -1, -1):
        edge = edges + EDGE * machine.load32(ends + HYPOTHESIS * end + FIRST)
        machine.store32(path + 4 * k, machine.load32(edge + ID))
        end = machine.load32(ends + HYPOTHESIS * end + AFTER)
    out = block.out
    return (write_path(block, work.text, count, out) - out) >> 2


@helper
def _log_add(left, right):
    low, high = min(left, right), max(left, right)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))


@compiled
def forward(work_at, theta, sums):
    """Write for every byte of the text the log of the summed weight of all paths to it.

    theta : float64 · sums : float64[size + 1]; -inf between the bytes of a character.
    """
    work = work_block(work_at)
    edges = work.edges
    sums[:] = -np.inf
    sums[0] = 0.0
    for k in range(work.count):
        edge = edges + EDGE * k
        begin, end = machine.load32(edge + BEGIN), machine.load32(edge + END)
        sums[end] = _log_add(sums[end], sums[begin] + theta * np.float64(_float(edge + SCORE)))


@compiled
def draw_path(address, work_at, theta, sums, luck):
    """Draw a path and write its ids and spans to ``out`` and ``spans`` of the block; return how many.

    theta, sums : as for ``forward`` · luck : float64, random numbers from 0 up to 1, one for each character of the
    text.
    """
    work = work_block(work_at)
    block = layout.block_at(address)
    edges, order, starts = work.edges, work.order, work.starts
    path = path_of(block)
    place = work.size
    count = 0
    while place > 0:
        first = machine.load32(starts + 4 * place)
        left = luck[count]
        chosen = machine.load32(order + 4 * first)
        for k in range(first, machine.load32(starts + 4 * place + 4)):
            number = machine.load32(order + 4 * k)
            edge = edges + EDGE * number
            score = theta * np.float64(_float(edge + SCORE))
            chance = np.exp(sums[machine.load32(edge + BEGIN)] + score - sums[place])
            if chance > 0:
                chosen = number
                left -= chance
                if left < 0:
                    break
        machine.store32(path + 4 * count, machine.load32(edges + EDGE * chosen + ID))
        place = machine.load32(edges + EDGE * chosen + BEGIN)
        count += 1
    out = block.out
    return (write_path(block, work.text, count, out) - out) >> 2
