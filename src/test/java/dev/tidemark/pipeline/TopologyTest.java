package dev.tidemark.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.change.avro.Decoders;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.IdentityMethod;
import dev.tidemark.job.IdentityPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.kit.HarnessJob;
import dev.tidemark.kit.HarnessJob.Checkpoint;
import dev.tidemark.kit.HarnessSource;
import dev.tidemark.kit.History;
import dev.tidemark.kit.MemoryStartPositions;
import dev.tidemark.kit.MemoryWarehouse;
import dev.tidemark.kit.Plans;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorBackendSerializationProxy;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.Test;

/** What savepoints rest on: the uids of the operators, the names of their states, and the serializers of both. */
class TopologyTest {
    private static final JobPlan UPSERT = Plans.products()
            .withColumn("products", Aggregate.COUNT_DISTINCT, Plans.QUANTITY)
            .withColumn("last", Aggregate.LATEST, Plans.QUANTITY)
            .withColumn("so_far", Aggregate.RUNNING_COUNT_DISTINCT, Plans.QUANTITY)
            .plan();
    private static final JobPlan APPEND = Plans.products()
            .appending()
            .withId()
            .withColumn("so_far", Aggregate.RUNNING_SUM, Plans.QUANTITY)
            .plan();

    private static final JobPlan IDENTITY = identity();

    private static JobPlan identity() {
        JobPlan plan = Plans.products().plan();
        List<ValueColumn> columns = new ArrayList<>(plan.target().columns());
        columns.add(ValueColumn.ofIdentities("dau", Aggregate.IDENTITIES, IdentityMethod.CONNECTED_COMPONENTS));
        return new JobPlan(
                plan.job(),
                plan.source(),
                plan.fields(),
                plan.where(),
                plan.changes(),
                plan.time(),
                plan.partition(),
                new TargetPlan("histories", "identities", List.of(), columns, false),
                plan.history(),
                new IdentityPlan(Plans.PRODUCT, Plans.TEXT, null, 1));
    }

    @Test
    void uidsAndStateNamesAreThoseOfTheGoldenFile() throws Exception {
        Map<String, TreeSet<String>> names = new TreeMap<>();
        for (JobPlan plan : List.of(UPSERT, IDENTITY)) {
            for (StreamNode node : nodes(plan)) {
                names.putIfAbsent(node.getTransformationUID(), new TreeSet<>());
            }
            checkpoint(plan)
                    .states()
                    .forEach((uid, state) -> states(state)
                            .forEach(info ->
                                    Objects.requireNonNull(names.get(uid)).add(info.getName())));
        }
        StringBuilder actual = new StringBuilder();
        names.forEach((uid, states) -> actual.append(uid)
                .append(":")
                .append(states.isEmpty() ? "" : " ")
                .append(String.join(" ", states))
                .append('\n'));
        assertThat(actual.toString()).isEqualTo(golden());
    }

    @Test
    void noEdgeFallsBackToKryo() {
        for (JobPlan plan : List.of(UPSERT, APPEND, IDENTITY)) {
            for (StreamNode node : nodes(plan)) {
                assertThat(node.getTypeSerializerOut()).isNotInstanceOf(KryoSerializer.class);
                for (TypeSerializer<?> serializer : node.getTypeSerializersIn()) {
                    assertThat(serializer).isNotInstanceOf(KryoSerializer.class);
                }
                if (node.getStateKeySerializer() != null) {
                    assertThat(node.getStateKeySerializer()).isNotInstanceOf(KryoSerializer.class);
                }
            }
        }
    }

    @Test
    void noStateFallsBackToKryo() throws Exception {
        for (JobPlan plan : List.of(UPSERT, IDENTITY)) {
            checkpoint(plan).states().forEach((uid, state) -> {
                for (StateMetaInfoSnapshot info : states(state)) {
                    assertThat(info.getSerializerSnapshotsImmutable().values())
                            .as(uid + " " + info.getName())
                            .isNotEmpty()
                            .noneMatch(snapshot -> snapshot.getClass().getName().contains("Kryo"));
                }
            });
        }
    }

    @Test
    void withoutIdsTheUidsAreTheSame() {
        assertThat(nodes(APPEND))
                .extracting(StreamNode::getTransformationUID)
                .containsExactlyInAnyOrderElementsOf(nodes(UPSERT).stream()
                        .map(StreamNode::getTransformationUID)
                        .toList());
    }

    private static List<StreamNode> nodes(JobPlan plan) {
        try (MemoryWarehouse warehouse = new MemoryWarehouse(plan)) {
            StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(2);
            FlinkSettings.require(environment, Duration.ofSeconds(1));
            Ports ports = new Ports(
                    new Decoders(),
                    warehouse.stages(),
                    warehouse.warehouses(),
                    warehouse.publishedPositions(),
                    (log, path) -> {},
                    new MemoryStartPositions());
            new Topology(plan, ports, "submission", Map.of()).build(environment);
            return List.copyOf(environment.getStreamGraph(true).getStreamNodes());
        }
    }

    private static Checkpoint checkpoint(JobPlan plan) throws Exception {
        History history = History.of(
                plan,
                "{'id':'a','v':1,'at':'2026-03-01T10:00:00Z','seen':'2026-03-01T10:00:00Z','product':'p','quantity':1}"
                        .replace('\'', '"'));
        try (MemoryWarehouse warehouse = new MemoryWarehouse(plan);
                HarnessJob job =
                        HarnessJob.submit(plan, new HarnessSource(history), warehouse, "only", 1, new Random(1))) {
            job.read(1);
            job.checkpoint();
            return job.completed().get(0);
        }
    }

    private static List<StateMetaInfoSnapshot> states(OperatorSubtaskState state) {
        List<StateMetaInfoSnapshot> all = new ArrayList<>();
        try {
            for (OperatorStateHandle handle : state.getManagedOperatorState()) {
                OperatorBackendSerializationProxy proxy =
                        new OperatorBackendSerializationProxy(TopologyTest.class.getClassLoader());
                try (FSDataInputStream in = handle.openInputStream()) {
                    proxy.read(new DataInputViewStreamWrapper(in));
                }
                all.addAll(proxy.getOperatorStateMetaInfoSnapshots());
            }
            for (KeyedStateHandle handle : state.getManagedKeyedState()) {
                KeyedBackendSerializationProxy<Object> proxy =
                        new KeyedBackendSerializationProxy<>(TopologyTest.class.getClassLoader());
                try (FSDataInputStream in = ((StreamStateHandle) handle).openInputStream()) {
                    proxy.read(new DataInputViewStreamWrapper(in));
                }
                all.addAll(proxy.getStateMetaInfoSnapshots());
            }
        } catch (IOException failure) {
            throw new IllegalStateException("the state could not be read", failure);
        }
        return all;
    }

    private static String golden() throws IOException {
        try (InputStream in = Objects.requireNonNull(TopologyTest.class.getResourceAsStream("/uids.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
