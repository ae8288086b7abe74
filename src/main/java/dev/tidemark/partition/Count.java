package dev.tidemark.partition;

import dev.tidemark.wire.Wire;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** A number of members, or of values. */
final class Count extends Accumulator {
    static final int KIND = 1;

    long count;

    @Override
    Count copy() {
        Count copy = new Count();
        copy.count = count;
        return copy;
    }

    @Override
    void merge(Accumulator other) {
        count += ((Count) other).count;
    }

    @Override
    void write(DataOutput out) throws IOException {
        out.writeByte(KIND);
        Wire.writeSigned(count, out);
    }

    static Count readBody(DataInput in) throws IOException {
        Count read = new Count();
        read.count = Wire.readSigned(in);
        return read;
    }
}
