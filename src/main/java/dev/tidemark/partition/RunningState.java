package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import dev.tidemark.wire.Wire;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What is remembered of one key of the target for its running columns: what its forgotten partitions add up to, and of each
 * other one the last truth of its cell and what that adds. Mutable; {@link RunningAlgebra} is its only hand.
 *
 * <p>The values of a column that counts different ones are kept beside it. Here is how many of them occur first in the
 * forgotten partitions, and in each of the others.
 */
public final class RunningState {
    private static final int VERSION = 1;

    /** What the forgotten partitions add up to, by running column; empty: none is forgotten yet. */
    final List<Accumulator> base = new ArrayList<>();

    /** The cells of partitions that are not forgotten, by partition. */
    final NavigableMap<Long, Cell> cells = new TreeMap<>();

    RunningState() {}

    /** Whether there is nothing to remember. */
    public boolean isEmpty() {
        return base.isEmpty() && cells.isEmpty();
    }

    /** The written form, behind its version. */
    public Bytes toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            writeAll(base, out);
            Wire.writeUnsigned(cells.size(), out);
            for (var entry : cells.entrySet()) {
                Wire.writeSigned(entry.getKey(), out);
                entry.getValue().write(out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Bytes.of(bytes.toByteArray());
    }

    /**
     * The inverse of {@link #toBytes}.
     *
     * @throws UncheckedIOException if the bytes are of another version, or more or less than one state
     */
    public static RunningState fromBytes(Bytes written) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(written.array()))) {
            int version = in.readByte();
            if (version != VERSION) {
                throw new IOException("what a key adds up to, of version " + version
                        + ", cannot be read; this program reads " + VERSION);
            }
            RunningState state = new RunningState();
            state.base.addAll(readAll(in));
            for (int rest = Wire.readUnsigned(in); rest > 0; rest--) {
                long partition = Wire.readSigned(in);
                state.cells.put(partition, Cell.read(in));
            }
            if (in.available() > 0) {
                throw new IOException(in.available() + " bytes are left over behind what a key adds up to");
            }
            return state;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void writeAll(List<Accumulator> accumulators, DataOutput out) throws IOException {
        Wire.writeUnsigned(accumulators.size(), out);
        for (Accumulator accumulator : accumulators) {
            accumulator.write(out);
        }
    }

    private static List<Accumulator> readAll(DataInput in) throws IOException {
        List<Accumulator> accumulators = new ArrayList<>();
        for (int rest = Wire.readUnsigned(in); rest > 0; rest--) {
            accumulators.add(Accumulator.read(in));
        }
        return accumulators;
    }

    /** The cell of the key in one partition. */
    static final class Cell {
        long members;
        long fingerprint;
        /** As the cell said them: in running columns its own share. */
        Bytes values = Bytes.EMPTY;

        /** What it adds, by running column; of one that counts different values, how many occur here first. */
        final List<Accumulator> share;

        Cell(List<Accumulator> share) {
            this.share = share;
        }

        private void write(DataOutput out) throws IOException {
            Wire.writeSigned(members, out);
            out.writeLong(fingerprint);
            Wire.writeBytes(values, out);
            writeAll(share, out);
        }

        private static Cell read(DataInput in) throws IOException {
            long members = Wire.readSigned(in);
            long fingerprint = in.readLong();
            Bytes values = Wire.readBytes(in);
            Cell cell = new Cell(readAll(in));
            cell.members = members;
            cell.fingerprint = fingerprint;
            cell.values = values;
            return cell;
        }
    }
}
