package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import dev.tidemark.wire.Wire;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The best contenders of a selective column, best first, as many as its {@link Contest} allows.
 *
 * <p>As long as the head is not empty, no contender outside it is better than its last. It is complete when there is none
 * outside. Empty and not complete, it is exhausted: it knows nothing until it has seen all members again.
 */
final class Head extends Accumulator {
    static final int KIND = 4;

    private static final int COMPLETE = 1;
    private static final int PRESENT = 1;
    private static final int VARIABLE = 2;
    private static final Entry[] NO_ENTRIES = {};

    private @Nullable Entry[] entries = NO_ENTRIES;
    private int size;
    private boolean isComplete = true;

    /** Forgets everything: there is no contender. */
    void clear() {
        Arrays.fill(entries, null);
        size = 0;
        isComplete = true;
    }

    boolean isExhausted() {
        return size == 0 && !isComplete;
    }

    @Nullable
    Entry best() {
        return size == 0 ? null : entries[0];
    }

    /** Whether the rank alone shows that a contender stays outside; it is then taken note of. */
    boolean passesOver(long rank, Contest contest) {
        if (isComplete && size < contest.capacity()) {
            return false;
        }
        if (size > 0 && contest.compareRanks(rank, entry(size - 1).rank) >= 0) {
            return false;
        }
        isComplete = false;
        return true;
    }

    /** Lets a contender in, if it belongs. */
    void offer(Entry entry, Contest contest) {
        int at = size;
        while (at > 0 && contest.compare(entry, entry(at - 1)) > 0) {
            at--;
        }
        boolean isFull = size == contest.capacity();
        if (at == size && !isComplete) {
            // Those outside may be better than this one, unless it equals the last.
            if (isFull || size == 0 || contest.compare(entry, entry(size - 1)) < 0) {
                return;
            }
        } else if (at == size && isFull) {
            isComplete = false;
            return;
        }
        if (isFull) {
            isComplete = false;
            size--;
        } else if (size == entries.length) {
            entries = Arrays.copyOf(entries, Math.min(contest.capacity(), Math.max(1, size * 2)));
        }
        System.arraycopy(entries, at, entries, at + 1, size - at);
        entries[at] = entry;
        size++;
    }

    /** Whether a contender of this rank is in the head. */
    boolean holds(long rank) {
        for (int i = 0; i < size; i++) {
            if (entry(i).rank == rank) {
                return true;
            }
        }
        return false;
    }

    /** Takes out one contender of this order if the head has it; gives whether it had. */
    boolean remove(long rank, Bytes rest) {
        for (int i = 0; i < size; i++) {
            Entry entry = entry(i);
            if (entry.rank == rank && entry.rest.equals(rest)) {
                System.arraycopy(entries, i + 1, entries, i, size - i - 1);
                size--;
                entries[size] = null;
                return true;
            }
        }
        return false;
    }

    /** Refuses what cannot be: that a complete head lacks the contender to be taken out. */
    void requireOutsiders() {
        if (isComplete) {
            throw new IllegalStateException("a member is taken out that was never put in");
        }
    }

    private Entry entry(int index) {
        Entry entry = entries[index];
        if (entry == null) {
            throw new IllegalStateException("The head has no entry " + index + " of " + size);
        }
        return entry;
    }

    @Override
    Head copy() {
        Head copy = new Head();
        copy.entries = Arrays.copyOf(entries, size);
        copy.size = size;
        copy.isComplete = isComplete;
        return copy;
    }

    @Override
    void merge(Accumulator other) {
        throw new UnsupportedOperationException("Contenders of two cells are never joined");
    }

    @Override
    void write(DataOutput out) throws IOException {
        out.writeByte(KIND);
        Wire.writeUnsigned(size << 1 | (isComplete ? COMPLETE : 0), out);
        for (int i = 0; i < size; i++) {
            Entry entry = entry(i);
            out.writeLong(entry.rank);
            Wire.writeBytes(entry.rest, out);
            out.writeByte((entry.isPresent ? PRESENT : 0) | (entry.variable == null ? 0 : VARIABLE));
            if (entry.variable != null) {
                Wire.writeBytes(entry.variable, out);
            } else if (entry.isPresent) {
                Wire.writeSigned(entry.fixed, out);
            }
        }
    }

    static Head readBody(DataInput in) throws IOException {
        Head read = new Head();
        int sizeAndFlag = Wire.readUnsigned(in);
        read.isComplete = (sizeAndFlag & COMPLETE) != 0;
        read.size = sizeAndFlag >>> 1;
        read.entries = new @Nullable Entry[read.size];
        for (int i = 0; i < read.size; i++) {
            long rank = in.readLong();
            Bytes rest = Wire.readBytes(in);
            int flags = in.readByte();
            if ((flags & VARIABLE) != 0) {
                read.entries[i] = Entry.ofVariable(rank, rest, Wire.readBytes(in));
            } else if ((flags & PRESENT) != 0) {
                read.entries[i] = Entry.ofFixed(rank, rest, Wire.readSigned(in));
            } else {
                read.entries[i] = Entry.ofNothing(rank, rest);
            }
        }
        return read;
    }

    /**
     * Who wins, and how many may stand in the head.
     *
     * @param greatestWins whether the greatest order is the best, else the least
     */
    record Contest(boolean greatestWins, int capacity) {
        /** Positive if the first is better. */
        int compareRanks(long rank, long other) {
            return greatestWins ? Long.compareUnsigned(rank, other) : Long.compareUnsigned(other, rank);
        }

        /** Positive if the first is better. */
        int compare(Entry entry, Entry other) {
            int byRank = compareRanks(entry.rank, other.rank);
            if (byRank != 0) {
                return byRank;
            }
            return greatestWins ? entry.rest.compareTo(other.rest) : other.rest.compareTo(entry.rest);
        }
    }

    /** One contender: its place in the order (the rank, unsigned, then the rest) and the value that it would give. */
    static final class Entry {
        final long rank;
        final Bytes rest;
        final boolean isPresent;
        final long fixed;
        final @Nullable Bytes variable;

        private Entry(long rank, Bytes rest, boolean isPresent, long fixed, @Nullable Bytes variable) {
            this.rank = rank;
            this.rest = rest;
            this.isPresent = isPresent;
            this.fixed = fixed;
            this.variable = variable;
        }

        static Entry ofFixed(long rank, Bytes rest, long value) {
            return new Entry(rank, rest, true, value, null);
        }

        static Entry ofVariable(long rank, Bytes rest, Bytes value) {
            return new Entry(rank, rest, true, 0, value);
        }

        /** The value is null, or the order itself. */
        static Entry ofNothing(long rank, Bytes rest) {
            return new Entry(rank, rest, false, 0, null);
        }
    }
}
