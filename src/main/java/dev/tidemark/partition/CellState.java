package dev.tidemark.partition;

import dev.tidemark.wire.Wire;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** What is remembered of one cell, apart from its members one by one. Mutable; {@link CellAlgebra} is its only hand. */
public final class CellState {
    long members;
    long fingerprint;
    final Accumulator[] accumulators;

    CellState(Accumulator[] accumulators) {
        this.accumulators = accumulators;
    }

    /** How many members the cell has. */
    public long members() {
        return members;
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
        return copy;
    }

    /** Writes it in format version 1. */
    public void writeTo(DataOutput out) throws IOException {
        Wire.writeSigned(members, out);
        out.writeLong(fingerprint);
        Wire.writeUnsigned(accumulators.length, out);
        for (Accumulator accumulator : accumulators) {
            accumulator.write(out);
        }
    }

    /** The inverse of {@link #writeTo}. */
    public static CellState readFrom(DataInput in) throws IOException {
        long members = Wire.readSigned(in);
        long fingerprint = in.readLong();
        Accumulator[] accumulators = new Accumulator[Wire.readUnsigned(in)];
        for (int i = 0; i < accumulators.length; i++) {
            accumulators[i] = Accumulator.read(in);
        }
        CellState state = new CellState(accumulators);
        state.members = members;
        state.fingerprint = fingerprint;
        return state;
    }
}
