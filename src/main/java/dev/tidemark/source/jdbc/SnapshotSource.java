package dev.tidemark.source.jdbc;

import dev.tidemark.change.RawRecord;
import dev.tidemark.source.flink.RawRecordSerializer;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.jdbc.core.datastream.source.JdbcSource;
import org.apache.flink.connector.jdbc.core.datastream.source.enumerator.JdbcSourceEnumeratorState;
import org.apache.flink.connector.jdbc.core.datastream.source.reader.JdbcSourceReader;
import org.apache.flink.connector.jdbc.core.datastream.source.reader.JdbcSourceSplitReader;
import org.apache.flink.connector.jdbc.core.datastream.source.split.JdbcSourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Flink's JDBC source with connections that read one snapshot: its builder takes a provider of connections, and makes one of
 * its own all the same.
 */
final class SnapshotSource
        implements Source<RawRecord, JdbcSourceSplit, JdbcSourceEnumeratorState>, ResultTypeQueryable<RawRecord> {
    private static final long serialVersionUID = 1L;

    private final JdbcSource<RawRecord> inner;
    private final SnapshotConnections connections;

    SnapshotSource(JdbcSource<RawRecord> inner, SnapshotConnections connections) {
        this.inner = inner;
        this.connections = connections;
    }

    @Override
    public Boundedness getBoundedness() {
        return inner.getBoundedness();
    }

    @Override
    public SourceReader<RawRecord, JdbcSourceSplit> createReader(SourceReaderContext context) {
        return new JdbcSourceReader<>(
                () -> new JdbcSourceSplitReader<>(
                        context,
                        inner.getConfiguration(),
                        inner.getTypeInformation(),
                        // The reader of the next range may begin before that of the last one has closed its connection.
                        connections.another(),
                        DeliveryGuarantee.NONE,
                        inner.getResultExtractor()),
                inner.getConfiguration(),
                context);
    }

    @Override
    public SplitEnumerator<JdbcSourceSplit, JdbcSourceEnumeratorState> createEnumerator(
            SplitEnumeratorContext<JdbcSourceSplit> context) throws Exception {
        return inner.createEnumerator(context);
    }

    @Override
    public SplitEnumerator<JdbcSourceSplit, JdbcSourceEnumeratorState> restoreEnumerator(
            SplitEnumeratorContext<JdbcSourceSplit> context, JdbcSourceEnumeratorState state) throws Exception {
        return inner.restoreEnumerator(context, state);
    }

    @Override
    public SimpleVersionedSerializer<JdbcSourceSplit> getSplitSerializer() {
        return inner.getSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<JdbcSourceEnumeratorState> getEnumeratorCheckpointSerializer() {
        return inner.getEnumeratorCheckpointSerializer();
    }

    @Override
    public TypeInformation<RawRecord> getProducedType() {
        return RawRecordSerializer.TYPE;
    }
}
