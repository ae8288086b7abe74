package dev.tidemark.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.kit.MapEntries;
import dev.tidemark.partition.NaiveCell.Seen;
import dev.tidemark.publish.CellTruth;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The algebra of running columns against their definition: the function over all members of the key so far. */
class RunningAlgebraTest {
    private static final Bytes KEY = Rows.key("k");
    private static final JobPlan PLAN = Plans.upsert(List.of(
            Plans.column(Aggregate.COUNT, null),
            Plans.column(Aggregate.RUNNING_COUNT, null),
            Plans.column(Aggregate.RUNNING_COUNT, Plans.TEXT),
            Plans.column(Aggregate.SUM, Plans.REAL),
            Plans.column(Aggregate.RUNNING_SUM, Plans.WHOLE),
            Plans.column(Aggregate.RUNNING_SUM, Plans.WIDE),
            Plans.column(Aggregate.RUNNING_SUM, Plans.REAL),
            Plans.column(Aggregate.RUNNING_COUNT_DISTINCT, Plans.TEXT),
            Plans.column(Aggregate.COUNT_DISTINCT, Plans.TEXT),
            Plans.column(Aggregate.RUNNING_COUNT_DISTINCT, Plans.FLAG)));
    private static final JobPlan VALUES = Plans.upsert(
            List.of(Plans.column(Aggregate.COUNT, null), Plans.column(Aggregate.RUNNING_COUNT_DISTINCT, Plans.TEXT)));

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void theNewestTruthOfEachCellIsRightAtEachBarrier(long seed) {
        Random random = new Random(seed);
        Key key = new Key(seed % 2 == 0 ? PLAN : VALUES);
        for (int barrier = 0; barrier < 60; barrier++) {
            for (int change = random.nextInt(8); change > 0; change--) {
                key.changeSomething(random);
            }
            key.barrier(random);
            key.assertRight("seed " + seed + ", barrier " + barrier);
            if (random.nextInt(4) == 0) {
                key.forgottenBefore += random.nextInt(3);
            }
        }
        assertThat(key.forgottenBefore).as("partitions that were added up").isGreaterThan(5);
    }

    /** The first bearer of a value moves on in a cell whose number of members stays: later cells count one less before it. */
    @Test
    void aValueIsCountedWhereItOccursFirst() {
        Key key = new Key(VALUES);
        Seen first = key.seen("a", "x");
        key.apply(1, null, first);
        key.apply(2, null, key.seen("b", "y"));
        key.apply(3, null, key.seen("c", "x"));
        key.barrier(new Random(1));
        assertThat(key.said(1)).containsExactly(1L, 1L);
        assertThat(key.said(2)).containsExactly(1L, 2L);
        assertThat(key.said(3)).containsExactly(1L, 2L);

        key.apply(1, first, key.seen("a", "y"));
        key.barrier(new Random(1));
        assertThat(key.said(1)).containsExactly(1L, 1L);
        assertThat(key.said(2)).as("x has gone from before it").containsExactly(1L, 1L);
        assertThat(key.said(3)).containsExactly(1L, 2L);
    }

    @Test
    void whatIsForgottenStaysAddedUpAndIsNotToldAgain() {
        Key key = new Key(VALUES);
        key.apply(1, null, key.seen("a", "x"));
        key.apply(2, null, key.seen("b", "x"));
        key.barrier(new Random(1));
        key.forgottenBefore = 2;
        key.apply(2, null, key.seen("c", "y"));
        key.said.clear();
        key.barrier(new Random(1));

        assertThat(key.said.keySet()).containsExactly(2L);
        assertThat(key.said(2)).containsExactly(2L, 2L);
        assertThat(key.state.cells.keySet()).containsExactly(2L);
        assertThatThrownBy(() -> key.take(new CellTruth(1, KEY, 0, 0, null, Bytes.of(new byte[] {0}))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("changes after its partition was added up for good");
    }

    /** When the full truth becomes the published one, the values are noted that only one of them had. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void whatBecomesPublishedGainsAndLosesItsValues(long seed) {
        Random random = new Random(seed);
        CellAlgebra algebra = new CellAlgebra(VALUES);
        CellState state = algebra.create();
        MapEntries<Long> published = new MapEntries<>();
        Layers layers = new Layers(null, null, published, new MapEntries<>());
        ValueChanges changes = algebra.changes();
        Set<Bytes> values = new HashSet<>();
        Map<Layer, List<Seen>> members = new EnumMap<>(Layer.class);
        List<Layer> all = List.of(Layer.values());
        for (int i = 0; i < 60; i++) {
            Layer layer = all.get(random.nextInt(all.size()));
            List<Seen> there = members.computeIfAbsent(layer, any -> new ArrayList<>());
            boolean leaves = !there.isEmpty() && random.nextInt(3) == 0;
            Seen seen = leaves
                    ? there.remove(random.nextInt(there.size()))
                    : Seen.of(VALUES, "id" + i, "", "log", i, 0, Map.of(Plans.TEXT, "t" + random.nextInt(40)));
            if (!leaves) {
                there.add(seen);
            }
            algebra.apply(
                    state,
                    new Contribution(1, KEY, leaves ? seen.member() : null, leaves ? null : seen.member(), layer),
                    layers,
                    changes);
        }
        follow(values, changes);
        assertThat(values).isEqualTo(keys(published)).isNotEmpty();
        assertThat(CellAlgebra.publishWithheld(state, layers, changes)).isTrue();
        assertThat(changes.size()).as("values that only one truth had").isPositive();
        follow(values, changes);
        assertThat(values).isEqualTo(keys(published));
    }

    private static void follow(Set<Bytes> values, ValueChanges changes) {
        changes.forEach((value, isGained) ->
                assertThat(isGained ? values.add(value) : values.remove(value)).isTrue());
        changes.clear();
    }

    private static Set<Bytes> keys(MapEntries<Long> entries) {
        Set<Bytes> keys = new HashSet<>();
        entries.forEach((key, count) -> keys.add(key));
        return keys;
    }

    @Test
    void aTruthThatDoesNotSayWhatItAddsIsAFault() {
        assertThatThrownBy(() -> new Key(VALUES).take(new CellTruth(1, KEY, 0, 0, null)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("does not say what it adds to running columns");
    }

    /** The same sums, however the cells lie: nothing is rounded before the end. */
    @Test
    void sumsOfFloatingPointValuesAreExactOverAllPartitions() {
        Key key = new Key(Plans.upsert(
                List.of(Plans.column(Aggregate.RUNNING_COUNT, null), Plans.column(Aggregate.RUNNING_SUM, Plans.REAL))));
        double[] values = {1e16, 1.0, 1.0, -1e16, Double.MIN_VALUE};
        for (int i = 0; i < values.length; i++) {
            key.apply(i, null, Seen.of(key.plan, "id" + i, "", "log", i, i, Map.of(Plans.REAL, values[i])));
        }
        key.barrier(new Random(1));

        assertThat(key.said(0)).containsExactly(1L, 1e16);
        assertThat(key.said(1)).containsExactly(2L, 1e16);
        assertThat(key.said(2)).containsExactly(3L, 1e16 + 2);
        assertThat(key.said(3)).containsExactly(4L, 2.0);
        assertThat(key.said(4)).containsExactly(5L, 2.0);
    }

    @Test
    void aStateKeepsItsFormAndOtherFormsAreRefused() {
        JobPlan plan = Plans.upsert(List.of(
                Plans.column(Aggregate.RUNNING_COUNT, null),
                Plans.column(Aggregate.RUNNING_COUNT_DISTINCT, Plans.TEXT)));
        Key key = new Key(plan);
        key.apply(1, null, key.seen("a", "x"));
        key.apply(2, null, key.seen("b", "x"));
        key.barrier(new Random(1));
        key.forgottenBefore = 2;
        key.barrier(new Random(1));
        key.algebra.forget(key.state, 2);
        String fingerprint =
                HexFormat.of().toHexDigits(key.seen("b", "x").member().hash());
        String golden = "01" + "02" + "0102" + "0102"
                + "01" + "04" + "02" + fingerprint + "11" + "03" + "0000000000000001" + "0000000000000001"
                + "02" + "0102" + "0100";

        assertThat(HexFormat.of().formatHex(key.state.toBytes().array())).isEqualTo(golden);
        assertThat(RunningState.fromBytes(Bytes.of(HexFormat.of().parseHex(golden)))
                        .toBytes())
                .isEqualTo(key.state.toBytes());
        assertThatThrownBy(() -> RunningState.fromBytes(Bytes.of(HexFormat.of().parseHex("02" + golden.substring(2)))))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("version 2");
        assertThatThrownBy(() -> RunningState.fromBytes(Bytes.of(HexFormat.of().parseHex(golden + "00"))))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("1 bytes are left over");
    }

    /** One key: its cells, what should be in them, and what was said of them. */
    private static final class Key {
        private final JobPlan plan;
        private final CellAlgebra cells;
        private final RunningAlgebra algebra;
        private final RowLayout target;
        private final MapEntries<Bytes> values = new MapEntries<>();
        private final Map<Long, Map<String, Seen>> members = new TreeMap<>();
        private final Map<Long, CellState> states = new HashMap<>();
        private final Map<Long, FakeMembers> counts = new HashMap<>();
        private final Map<Long, ValueChanges> changes = new LinkedHashMap<>();
        private final Map<Long, CellTruth> said = new TreeMap<>();
        private RunningState state;
        private long forgottenBefore;
        private int ids;

        private Key(JobPlan plan) {
            this.plan = plan;
            this.cells = new CellAlgebra(plan);
            this.algebra = new RunningAlgebra(plan);
            this.target = new RowLayout(
                    plan.target().columns().stream().map(ValueColumn::type).toList());
            this.state = algebra.create();
        }

        Seen seen(String id, String text) {
            return Seen.of(plan, id, "", "log", 0, 0, Map.of(Plans.TEXT, text));
        }

        void changeSomething(Random random) {
            long partition = forgottenBefore + random.nextInt(6);
            List<Seen> there =
                    new ArrayList<>(members.getOrDefault(partition, Map.of()).values());
            Seen minus = there.isEmpty() || random.nextInt(3) == 0 ? null : there.get(random.nextInt(there.size()));
            Seen plus = minus != null && random.nextBoolean()
                    ? null
                    : Seen.of(
                            plan,
                            minus == null
                                    ? "id" + ids++
                                    : minus.member().recordId().text(),
                            "",
                            "log",
                            ids,
                            random.nextInt(9),
                            Rows.random(random, plan.rowFields()));
            apply(partition, minus, plus);
        }

        void apply(long partition, @Nullable Seen minus, @Nullable Seen plus) {
            Map<String, Seen> there = members.computeIfAbsent(partition, fresh -> new TreeMap<>());
            if (minus != null) {
                there.remove(minus.member().recordId().text());
            }
            if (plus != null) {
                there.put(plus.member().recordId().text(), plus);
            }
            FakeMembers kept = counts.computeIfAbsent(partition, fresh -> new FakeMembers());
            cells.apply(
                    states.computeIfAbsent(partition, fresh -> cells.create()),
                    new Contribution(
                            partition, KEY, minus == null ? null : minus.member(), plus == null ? null : plus.member()),
                    kept,
                    kept,
                    changes.computeIfAbsent(partition, fresh -> cells.changes()));
        }

        long take(CellTruth truth) {
            return algebra.take(state, truth, values, forgottenBefore);
        }

        /** All changed cells say their truths, in any order; what follows from them is said. */
        void barrier(Random random) {
            state = RunningState.fromBytes(state.toBytes());
            algebra.forget(state, forgottenBefore);
            List<Long> changed = new ArrayList<>(changes.keySet());
            Collections.shuffle(changed, random);
            long from = RunningAlgebra.NONE;
            for (long partition : changed) {
                from = Math.min(
                        from,
                        take(cells.export(
                                new CellKey(partition, KEY),
                                Objects.requireNonNull(states.get(partition)),
                                Objects.requireNonNull(counts.get(partition)),
                                Objects.requireNonNull(changes.get(partition)))));
            }
            algebra.say(state, KEY, new TreeSet<>(changed), from, truth -> said.put(truth.partition(), truth));
            changes.clear();
        }

        List<@Nullable Object> said(long partition) {
            CellTruth truth = Objects.requireNonNull(said.get(partition));
            return target.values(Objects.requireNonNull(truth.values()));
        }

        void assertRight(String where) {
            List<Seen> soFar = new ArrayList<>();
            members.forEach((partition, there) -> {
                soFar.addAll(there.values());
                String cell = where + ", partition " + partition;
                CellTruth truth = Objects.requireNonNull(said.get(partition), cell);
                assertThat(truth.isRemoved()).as(cell).isEqualTo(there.isEmpty());
                if (!there.isEmpty()) {
                    List<@Nullable Object> alone = NaiveCell.values(plan, there.values());
                    List<@Nullable Object> running = NaiveCell.values(plan, soFar);
                    List<@Nullable Object> expected = new ArrayList<>();
                    for (int i = 0; i < alone.size(); i++) {
                        boolean isRunning =
                                plan.target().columns().get(i).function().isRunning();
                        expected.add(isRunning ? running.get(i) : alone.get(i));
                    }
                    assertThat(NaiveCell.comparable(target.values(Objects.requireNonNull(truth.values()))))
                            .as(cell)
                            .isEqualTo(expected);
                }
            });
        }
    }
}
