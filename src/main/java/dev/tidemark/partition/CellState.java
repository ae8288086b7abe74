package dev.tidemark.partition;

import dev.tidemark.wire.Wire;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of one cell, apart from its members one by one: the published truth, and, only if it differs, the full
 * one with what is withheld. Mutable; {@link CellAlgebra} is its only hand.
 */
public final class CellState {
    private static final int LAYERED = 1;

    long members;
    long fingerprint;
    final Accumulator[] accumulators;
    /** The full truth; null: it is the published one. */
    @Nullable
    CellState withheld;

    CellState(Accumulator[] accumulators) {
        this.accumulators = accumulators;
    }

    /** How many members the published truth has. */
    public long members() {
        return members;
    }

    /** Whether the full truth is kept apart from the published one. */
    public boolean isLayered() {
        return withheld != null;
    }

    /** Whether neither truth has a member. */
    public boolean isEmpty() {
        return members == 0 && (withheld == null || withheld.members == 0);
    }

    /** A copy that shares nothing mutable. */
    public CellState copy() {
        Accumulator[] copies = new Accumulator[accumulators.length];
        for (int i = 0; i < copies.length; i++) {
            copies[i] = accumulators[i].copy();
        }
        CellState copy = new CellState(copies);
        copy.members = members;
        copy.fingerprint = fingerprint;
        copy.withheld = withheld == null ? null : withheld.copy();
        return copy;
    }

    /** Writes it in format version 1. */
    public void writeTo(DataOutput out) throws IOException {
        Wire.writeSigned(members, out);
        out.writeLong(fingerprint);
        Wire.writeUnsigned(accumulators.length << 1 | (withheld == null ? 0 : LAYERED), out);
        for (Accumulator accumulator : accumulators) {
            accumulator.write(out);
        }
        if (withheld != null) {
            withheld.writeTo(out);
        }
    }

    /** The inverse of {@link #writeTo}. */
    public static CellState readFrom(DataInput in) throws IOException {
        long members = Wire.readSigned(in);
        long fingerprint = in.readLong();
        int lengthAndFlag = Wire.readUnsigned(in);
        Accumulator[] accumulators = new Accumulator[lengthAndFlag >>> 1];
        for (int i = 0; i < accumulators.length; i++) {
            accumulators[i] = Accumulator.read(in);
        }
        CellState state = new CellState(accumulators);
        state.members = members;
        state.fingerprint = fingerprint;
        state.withheld = (lengthAndFlag & LAYERED) == 0 ? null : readFrom(in);
        return state;
    }
}
