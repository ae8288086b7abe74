package dev.tidemark.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.partition.NaiveCell.Seen;
import dev.tidemark.publish.CellTruth;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CellAlgebraTest {
    private static final long SEED = 20261130;
    private static final CellKey CELL = new CellKey(20_000, Rows.key("k"));

    @Test
    void aTruthDependsOnNothingButTheMembersThatAreIn() throws IOException {
        JobPlan plan = Plans.upsert(Plans.everything());
        Random random = new Random(SEED);
        for (int round = 0; round < 20; round++) {
            Cell cell = new Cell(plan);
            for (int step = 0; step < 150; step++) {
                // By turns the cell grows, and shrinks with the winners leaving first more often than not.
                boolean isShrinking = step / 25 % 2 == 1;
                boolean isMinus = !cell.members.isEmpty() && random.nextInt(3) < (isShrinking ? 2 : 1);
                Seen minus = !isMinus ? null : random.nextInt(3) == 0 ? any(cell, random) : winner(cell, random);
                boolean isRemoval = minus != null && random.nextInt(4) < (isShrinking ? 3 : 1);
                String id = minus != null && random.nextInt(4) != 0
                        ? minus.member().recordId().text()
                        : "id" + step;
                Seen plus = isRemoval ? null : random(plan, random, id, step);
                cell.apply(minus, plus);
                if (random.nextInt(4) == 0) {
                    cell.state = random.nextBoolean() ? cell.state.copy() : copy(cell.state);
                }
                if (random.nextInt(8) == 0) {
                    cell.assertRight("seed " + SEED + ", round " + round + ", step " + step);
                }
            }
            cell.assertRight("seed " + SEED + ", round " + round);
            while (!cell.members.isEmpty()) {
                cell.apply(any(cell, random), null);
            }
            cell.assertRight("seed " + SEED + ", round " + round + ", emptied");
            assertThat(cell.kept.members).isEmpty();
            assertThat(cell.kept.counts).isEmpty();
            assertThat(written(cell.state)).isEqualTo(written(new CellAlgebra(plan).create()));
        }
    }

    @Test
    void anAppendJobKeepsTheBestOneAndNoMembers() {
        JobPlan plan = Plans.append(Plans.everything());
        Random random = new Random(SEED);
        for (int round = 0; round < 20; round++) {
            Cell cell = new Cell(plan);
            for (int step = 0; step < 60; step++) {
                cell.apply(null, random(plan, random, "id" + step, step));
                cell.assertRight("seed " + SEED + ", round " + round + ", step " + step);
            }
            assertThat(cell.kept.members).isEmpty();
            assertThat(cell.kept.scans).isZero();
        }
    }

    @Test
    void theRunnerUpIsRevealedAlsoBeyondTheHeadAndAllMembersAreLookedAtOnce() {
        JobPlan plan = Plans.upsert(List.of(
                Plans.column(Aggregate.LATEST, Plans.WHOLE),
                Plans.column(Aggregate.FIRST, Plans.WHOLE),
                Plans.column(Aggregate.MAX, Plans.WHOLE),
                Plans.column(Aggregate.MIN, Plans.WHOLE)));
        Cell cell = new Cell(plan);
        List<Seen> members = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            members.add(Seen.of(plan, "id" + i, "", "log", i, 1000 + i, Map.of(Plans.WHOLE, i)));
            cell.apply(null, members.get(i));
        }
        assertThat(cell.values()).containsExactly(39, 0, 39, 0);
        for (int i = 39; i > 32; i--) {
            cell.apply(members.get(i), null);
            assertThat(cell.values()).containsExactly(i - 1, 0, i - 1, 0);
        }
        for (int i = 0; i < 7; i++) {
            cell.apply(members.get(i), null);
            assertThat(cell.values()).containsExactly(32, i + 1, 32, i + 1);
        }
        assertThat(cell.kept.scans).isZero();
        cell.apply(members.get(32), null);
        cell.apply(members.get(7), null);
        cell.apply(members.get(31), null);
        assertThat(cell.values()).containsExactly(30, 8, 30, 8);
        assertThat(cell.kept.scans).isEqualTo(1);
        cell.apply(null, members.get(39));
        assertThat(cell.values()).containsExactly(39, 8, 39, 8);
        cell.apply(members.get(39), null);
        assertThat(cell.values()).containsExactly(30, 8, 30, 8);
        assertThat(cell.kept.scans).isEqualTo(1);
    }

    @Test
    void aWorseMemberThatComesWhileOthersAreOutsideIsNotTakenForARunnerUp() {
        JobPlan plan = Plans.upsert(List.of(Plans.column(Aggregate.MAX, Plans.WHOLE)));
        Cell cell = new Cell(plan);
        List<Seen> members = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            members.add(Seen.of(plan, "id" + i, "", "log", i, 0, Map.of(Plans.WHOLE, 10 * i)));
            cell.apply(null, members.get(i));
        }
        for (int i = 11; i > 5; i--) {
            cell.apply(members.get(i), null);
        }
        cell.apply(null, Seen.of(plan, "low", "", "log", 99, 0, Map.of(Plans.WHOLE, 5)));
        for (int i = 5; i > 2; i--) {
            cell.apply(members.get(i), null);
        }
        assertThat(cell.values()).containsExactly(20);
    }

    @Test
    void theWinnerIsAWholeRowAndNullsOrderLowest() {
        JobPlan plan = Plans.upsert(List.of(
                Plans.column(Aggregate.LATEST, Plans.TEXT, Plans.WHOLE),
                Plans.column(Aggregate.FIRST, Plans.TEXT, Plans.WHOLE)));
        Cell cell = new Cell(plan);
        Seen nullOrder = Seen.of(plan, "a", "9", "log", 9, 7, Map.of(Plans.TEXT, "null order"));
        Seen nullText = Seen.of(plan, "b", "1", "log", 1, 7, Map.of(Plans.WHOLE, 4));
        Seen older = Seen.of(plan, "c", "1", "log", 2, 7, Map.of(Plans.TEXT, "older", Plans.WHOLE, 3));
        cell.apply(null, nullOrder);
        cell.apply(null, nullText);
        cell.apply(null, older);
        assertThat(cell.values()).containsExactly(null, "null order");
        cell.apply(nullText, null);
        assertThat(cell.values()).containsExactly("older", "null order");
        cell.apply(nullOrder, null);
        assertThat(cell.values()).containsExactly("older", "older");
    }

    @Test
    void equalTimesAreDecidedByVersionThenLogThenSequence() {
        JobPlan plan = Plans.upsert(
                List.of(Plans.column(Aggregate.LATEST, Plans.TEXT), Plans.column(Aggregate.FIRST, Plans.TEXT)));
        Cell cell = new Cell(plan);
        Seen last = Seen.of(plan, "a", "2", "a", 0, 7, Map.of(Plans.TEXT, "last"));
        // U+FFFD sorts before a surrogate pair in UTF-8, though not in UTF-16.
        Seen third = Seen.of(plan, "b", "1", "\uD83D\uDE00", 0, 7, Map.of(Plans.TEXT, "third"));
        Seen second = Seen.of(plan, "c", "1", "\uFFFD", 10, 7, Map.of(Plans.TEXT, "second"));
        Seen first = Seen.of(plan, "d", "1", "\uFFFD", 9, 7, Map.of(Plans.TEXT, "first"));
        List.of(third, first, last, second).forEach(seen -> cell.apply(null, seen));
        assertThat(cell.values()).containsExactly("last", "first");
        cell.apply(last, null);
        assertThat(cell.values()).containsExactly("third", "first");
        cell.apply(first, null);
        assertThat(cell.values()).containsExactly("third", "second");
        cell.apply(third, null);
        assertThat(cell.values()).containsExactly("second", "second");
    }

    @Test
    void nothingButNullsGivesNullsAndZeros() {
        List<ValueColumn> columns = new ArrayList<>();
        for (Aggregate function : Aggregate.values()) {
            // What depends on other days is filled in behind the cells.
            if (!function.isOfIdentities()) {
                columns.add(Plans.column(function, Plans.WHOLE));
            }
        }
        Cell cell = new Cell(Plans.upsert(columns));
        cell.apply(null, Seen.of(cell.plan, "a", "", "log", 0, 0, Map.of()));
        assertThat(cell.values()).containsExactly(0L, null, null, null, null, 0L, null, null, 0L, null, 0L);
    }

    @Test
    void sumsOfLongsLeaveTheRangeOfLongsAndAveragesRoundHalfUpOnce() {
        JobPlan plan = Plans.upsert(List.of(
                Plans.column(Aggregate.SUM, Plans.BIG),
                Plans.column(Aggregate.AVG, Plans.WHOLE),
                Plans.column(Aggregate.SUM, Plans.WIDE)));
        Cell cell = new Cell(plan);
        BigDecimal greatest = new BigDecimal("9".repeat(22) + "." + "9".repeat(6));
        List<Seen> members = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            members.add(Seen.of(
                    plan,
                    "id" + i,
                    "",
                    "log",
                    i,
                    0,
                    Map.of(Plans.BIG, Long.MIN_VALUE, Plans.WHOLE, i == 0 ? -1 : 0, Plans.WIDE, greatest)));
            cell.apply(null, members.get(i));
        }
        BigDecimal eight = BigDecimal.valueOf(8);
        assertThat(cell.values())
                .containsExactly(
                        BigDecimal.valueOf(Long.MIN_VALUE).multiply(eight),
                        new BigDecimal("-0.125000"),
                        greatest.multiply(eight));
        Map<Field, Object> odd = new HashMap<>(Map.of(Plans.WHOLE, -1));
        JobPlan average = Plans.upsert(List.of(Plans.column(Aggregate.AVG, Plans.WHOLE)));
        Cell many = new Cell(average);
        for (int i = 0; i < 2_000_000; i += 1) {
            many.algebra.apply(
                    many.state,
                    new Contribution(
                            0,
                            CELL.key(),
                            null,
                            Seen.of(average, "i", "", "", 0, 0, odd).member()),
                    many.kept,
                    many.kept,
                    many.algebra.changes());
            odd.put(Plans.WHOLE, 0);
        }
        // -0.0000005, half up: away from zero.
        assertThat(many.exported()).containsExactly(new BigDecimal("-0.000001"));
    }

    @Test
    void takingAMemberOutOfAnEmptyCellIsAFaultThatNamesTheCell() {
        Cell cell = new Cell(Plans.upsert(List.of(Plans.column(Aggregate.COUNT, null))));
        Seen member = Seen.of(cell.plan, "a", "", "log", 0, 0, Map.of());
        assertThatThrownBy(() -> cell.algebra.apply(
                        cell.state,
                        new Contribution(CELL.partition(), CELL.key(), member.member(), null),
                        cell.kept,
                        cell.kept,
                        cell.algebra.changes()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Cell 2024-10-04 [k]: a member is taken out of an empty cell");
    }

    @Test
    void takingOutWhatWasNeverPutInIsAFault() {
        JobPlan plan = Plans.upsert(List.of(Plans.column(Aggregate.MAX, Plans.WHOLE)));
        Cell cell = new Cell(plan);
        cell.apply(null, Seen.of(plan, "a", "1", "log", 0, 0, Map.of(Plans.WHOLE, 1)));
        Seen other = Seen.of(plan, "a", "2", "log", 0, 0, Map.of(Plans.WHOLE, 1));
        assertThatThrownBy(() -> cell.algebra.apply(
                        cell.state,
                        new Contribution(0, CELL.key(), other.member(), null),
                        cell.kept,
                        cell.kept,
                        cell.algebra.changes()))
                .hasMessageContaining("never put in");
        Cell second = new Cell(plan);
        second.apply(null, Seen.of(plan, "a", "1", "log", 0, 0, Map.of(Plans.WHOLE, 1)));
        second.apply(null, Seen.of(plan, "b", "1", "log", 0, 0, Map.of(Plans.WHOLE, 1)));
        Seen wrongValue = Seen.of(plan, "a", "1", "log", 0, 0, Map.of(Plans.WHOLE, 2));
        assertThatThrownBy(() -> second.algebra.apply(
                        second.state,
                        new Contribution(0, CELL.key(), wrongValue.member(), null),
                        second.kept,
                        second.kept,
                        second.algebra.changes()))
                .hasMessageContaining("never put in");
    }

    private static Seen any(Cell cell, Random random) {
        List<Seen> all = List.copyOf(cell.members.values());
        return all.get(random.nextInt(all.size()));
    }

    /** The least or the greatest by event time or by one of the fields. */
    private static Seen winner(Cell cell, Random random) {
        boolean isByTime = random.nextBoolean();
        Comparator<Seen> order = Comparator.comparing(seen ->
                isByTime ? seen.member().eventTime() : ((Integer) seen.row().getOrDefault(Plans.WHOLE, 0)).longValue());
        return Collections.max(cell.members.values(), random.nextBoolean() ? order : order.reversed());
    }

    private static Seen random(JobPlan plan, Random random, String id, int step) {
        return Seen.of(
                plan,
                id,
                "v" + random.nextInt(3),
                "log" + random.nextInt(2),
                step,
                random.nextInt(20),
                Rows.random(random, Plans.ALL));
    }

    private static CellState copy(CellState state) throws IOException {
        return CellState.readFrom(new DataInputStream(new ByteArrayInputStream(written(state))));
    }

    private static byte[] written(CellState state) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        state.writeTo(new DataOutputStream(out));
        return out.toByteArray();
    }

    /** A cell beside the list of what should be in it. */
    private static final class Cell {
        final JobPlan plan;
        final CellAlgebra algebra;
        final RowLayout target;
        final FakeMembers kept = new FakeMembers();
        final Map<Bytes, Seen> members = new HashMap<>();
        CellState state;

        Cell(JobPlan plan) {
            this.plan = plan;
            this.algebra = new CellAlgebra(plan);
            this.state = algebra.create();
            this.target = new RowLayout(
                    plan.target().columns().stream().map(ValueColumn::type).toList());
        }

        void apply(@Nullable Seen minus, @Nullable Seen plus) {
            if (minus != null) {
                members.remove(minus.member().recordId());
            }
            if (plus != null) {
                members.put(plus.member().recordId(), plus);
            }
            algebra.apply(
                    state,
                    new Contribution(
                            CELL.partition(),
                            CELL.key(),
                            minus == null ? null : minus.member(),
                            plus == null ? null : plus.member()),
                    kept,
                    kept,
                    algebra.changes());
        }

        List<@Nullable Object> exported() {
            Bytes values = algebra.export(CELL, state, kept, algebra.changes()).values();
            return values == null ? List.of() : NaiveCell.comparable(target.values(values));
        }

        /** The values, which are right also by the definition. */
        List<@Nullable Object> values() {
            List<@Nullable Object> values = exported();
            assertThat(values).isEqualTo(NaiveCell.values(plan, members.values()));
            return values;
        }

        void assertRight(String where) {
            CellTruth truth = algebra.export(CELL, state, kept, algebra.changes());
            assertThat(truth.members()).as(where).isEqualTo(members.size());
            assertThat(truth.fingerprint())
                    .as(where)
                    .isEqualTo(members.values().stream()
                            .mapToLong(seen -> seen.member().hash())
                            .sum());
            assertThat(truth.isRemoved()).as(where).isEqualTo(members.isEmpty());
            if (truth.values() != null) {
                List<@Nullable Object> expected = NaiveCell.values(plan, members.values());
                List<@Nullable Object> exported = NaiveCell.comparable(target.values(truth.values()));
                for (int i = 0; i < expected.size(); i++) {
                    assertThat(exported.get(i))
                            .as(where + ", column "
                                    + plan.target().columns().get(i).name())
                            .isEqualTo(expected.get(i));
                }
            }
        }
    }
}
