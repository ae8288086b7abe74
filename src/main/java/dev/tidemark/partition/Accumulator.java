package dev.tidemark.partition;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * What one column remembers of the members of one cell. Mutable. Its written form says which kind it is, so that it can
 * be read without knowing the job.
 */
abstract sealed class Accumulator permits Count, IntegerSum, FloatSum, Head {

    /** A copy that shares nothing mutable. */
    abstract Accumulator copy();

    /**
     * Takes in all that another one of its kind remembers, as if it had seen the other's members itself; the other stays as it is.
     */
    abstract void merge(Accumulator other);

    abstract void write(DataOutput out) throws IOException;

    /** Reads what any of them wrote. */
    static Accumulator read(DataInput in) throws IOException {
        int kind = in.readByte();
        return switch (kind) {
            case Count.KIND -> Count.readBody(in);
            case IntegerSum.KIND -> IntegerSum.readBody(in);
            case FloatSum.KIND -> FloatSum.readBody(in);
            case Head.KIND -> Head.readBody(in);
            default ->
                throw new IOException("There is no accumulator of kind " + kind + ": this is not a cell's state");
        };
    }
}
