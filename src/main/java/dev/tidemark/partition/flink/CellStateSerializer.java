package dev.tidemark.partition.flink;

import dev.tidemark.partition.CellState;
import dev.tidemark.wire.flink.FormatSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Writes the states of cells. Knows the shape of the job's columns, so that a state is not continued by columns that mean
 * something else.
 */
public final class CellStateSerializer extends TypeSerializer<CellState> {
    private static final long serialVersionUID = 1L;

    private final ArrayList<String> shape;

    /**
     * @param shape as {@link dev.tidemark.partition.CellAlgebra#shape} says it
     */
    public CellStateSerializer(List<String> shape) {
        this.shape = new ArrayList<>(shape);
    }

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public TypeSerializer<CellState> duplicate() {
        return this;
    }

    @Override
    public CellState createInstance() {
        throw new UnsupportedOperationException("States of cells are created by their algebra");
    }

    @Override
    public CellState copy(CellState from) {
        return from.copy();
    }

    @Override
    public CellState copy(CellState from, CellState reuse) {
        return from.copy();
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(CellState state, DataOutputView target) throws IOException {
        state.writeTo(target);
    }

    @Override
    public CellState deserialize(DataInputView source) throws IOException {
        return CellState.readFrom(source);
    }

    @Override
    public CellState deserialize(CellState reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CellStateSerializer serializer && serializer.shape.equals(shape);
    }

    @Override
    public int hashCode() {
        return shape.hashCode();
    }

    @Override
    public String toString() {
        return "states of cells with the columns " + shape;
    }

    @Override
    public TypeSerializerSnapshot<CellState> snapshotConfiguration() {
        return new Snapshot(shape);
    }

    /** Version 1: the shape. Other columns need another state: they are built anew by a rebuild of the job. */
    public static final class Snapshot extends FormatSnapshot<CellState> {
        /** For Flink, which reads it afterwards. */
        public Snapshot() {
            this(List.of());
        }

        private Snapshot(List<String> shape) {
            super(1, shape, CellStateSerializer::new);
        }
    }
}
