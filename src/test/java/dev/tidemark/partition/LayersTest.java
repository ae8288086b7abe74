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
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A cell with two truths: each is what its own members make it, whatever happens to the other. */
class LayersTest {
    private static final List<Layer> LAYERS = List.of(Layer.values());
    private static final CellKey CELL = new CellKey(20_000, Rows.key("k"));

    private final MapEntries<Member> members = new MapEntries<>();
    private final MapEntries<Substitute> substitutes = new MapEntries<>();
    private final MapEntries<Long> counts = new MapEntries<>();
    private final MapEntries<Long> differences = new MapEntries<>();
    private final Layers layers = new Layers(members, substitutes, counts, differences);

    @Test
    void eachTruthIsThatOfItsOwnMembers() throws IOException {
        JobPlan plan = Plans.upsert(Plans.everything());
        for (long seed = 0; seed < 40; seed++) {
            Random random = new Random(seed);
            CellAlgebra algebra = new CellAlgebra(plan);
            CellState state = algebra.create();
            Map<String, Seen> published = new HashMap<>();
            Map<String, Seen> full = new HashMap<>();
            for (int step = 0; step < 60; step++) {
                state = step(plan, algebra, state, random, step, published, full);
                assertRight("seed " + seed + ", step " + step, plan, algebra, state, published);
            }
            CellAlgebra.publishWithheld(state, layers, algebra.changes());
            assertRight("seed " + seed + ", published", plan, algebra, state, full);
            assertThat(state.isLayered()).isFalse();
            assertThat(members.size()).isEqualTo(full.size());
            assertThat(substitutes.size() + differences.size()).isZero();
            layers.clear();
        }
    }

    @Test
    void whatTheTruthsAgreeOnAgainIsNotKeptTwice() {
        JobPlan plan = Plans.upsert(
                List.of(Plans.column(Aggregate.MAX, Plans.WHOLE), Plans.column(Aggregate.COUNT_DISTINCT, Plans.WHOLE)));
        CellAlgebra algebra = new CellAlgebra(plan);
        CellState state = algebra.create();
        Member one =
                Seen.of(plan, "a", "1", "log", 1, 1, Map.of(Plans.WHOLE, 1)).member();
        Member two =
                Seen.of(plan, "a", "2", "log", 2, 1, Map.of(Plans.WHOLE, 2)).member();
        algebra.apply(state, contribution(null, one, Layer.BOTH), layers, algebra.changes());
        assertThat(state.isLayered()).isFalse();
        algebra.apply(state, contribution(one, two, Layer.WITHHELD), layers, algebra.changes());
        assertThat(substitutes.size()).isEqualTo(1);
        assertThat(differences.size()).isEqualTo(2);
        algebra.apply(state, contribution(one, null, Layer.PUBLISHED), layers, algebra.changes());
        assertThat(members.size()).isZero();
        algebra.apply(state, contribution(null, two, Layer.PUBLISHED), layers, algebra.changes());
        assertThat(substitutes.size() + differences.size()).isZero();
        algebra.apply(state, contribution(two, null, Layer.BOTH), layers, algebra.changes());
        assertThat(state.isEmpty()).isTrue();
        assertThat(members.size() + counts.size()).isZero();
    }

    @Test
    void aCellWithWithheldMembersOnlyIsNotEmptyAndShowsNothing() {
        JobPlan plan = Plans.upsert(List.of(Plans.column(Aggregate.COUNT, null)));
        CellAlgebra algebra = new CellAlgebra(plan);
        CellState state = algebra.create();
        Member one = Seen.of(plan, "a", "1", "log", 1, 1, Map.of()).member();
        algebra.apply(state, contribution(null, one, Layer.WITHHELD), layers, algebra.changes());
        assertThat(state.isEmpty()).isFalse();
        assertThat(algebra.export(CELL, state, layers.alone(), algebra.changes())
                        .isRemoved())
                .isTrue();
        assertThatThrownBy(() -> algebra.apply(state, contribution(one, null, Layer.BOTH), layers, algebra.changes()))
                .hasMessageContaining("a member is taken out of an empty cell");
    }

    /** One contribution that may be, and often a state that is written and read again. */
    private CellState step(
            JobPlan plan,
            CellAlgebra algebra,
            CellState state,
            Random random,
            int step,
            Map<String, Seen> published,
            Map<String, Seen> full)
            throws IOException {
        Layer layer = random.nextInt(2) == 0 ? Layer.BOTH : LAYERS.get(random.nextInt(3));
        String id = "id" + random.nextInt(12);
        Seen shown = published.get(id);
        Seen known = full.get(id);
        Seen minus = layer == Layer.WITHHELD ? known : shown;
        if (layer == Layer.BOTH && !Objects.equals(shown, known)) {
            return state;
        }
        Seen plus = minus == null || random.nextBoolean()
                ? Seen.of(
                        plan,
                        id,
                        "v%02d".formatted(step),
                        "log",
                        step,
                        random.nextInt(20),
                        Rows.random(random, Plans.ALL))
                : null;
        algebra.apply(
                state,
                contribution(minus == null ? null : minus.member(), plus == null ? null : plus.member(), layer),
                layers,
                algebra.changes());
        if (layer != Layer.WITHHELD) {
            set(published, id, plus);
        }
        if (layer != Layer.PUBLISHED) {
            set(full, id, plus);
        }
        return random.nextBoolean() ? state : CellState.readFrom(written(state));
    }

    private void assertRight(
            String where, JobPlan plan, CellAlgebra algebra, CellState state, Map<String, Seen> expected) {
        CellTruth truth = algebra.export(CELL, state, layers.alone(), algebra.changes());
        assertThat(truth.members()).as(where).isEqualTo(expected.size());
        Bytes values = truth.values();
        if (values != null) {
            RowLayout target = new RowLayout(
                    plan.target().columns().stream().map(ValueColumn::type).toList());
            assertThat(NaiveCell.comparable(target.values(values)))
                    .as(where)
                    .isEqualTo(NaiveCell.values(plan, expected.values()));
        }
    }

    private static void set(Map<String, Seen> truth, String id, @Nullable Seen seen) {
        if (seen == null) {
            truth.remove(id);
        } else {
            truth.put(id, seen);
        }
    }

    private static DataInputStream written(CellState state) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        state.writeTo(new DataOutputStream(out));
        return new DataInputStream(new ByteArrayInputStream(out.toByteArray()));
    }

    private static Contribution contribution(@Nullable Member minus, @Nullable Member plus, Layer layer) {
        return new Contribution(CELL.partition(), CELL.key(), minus, plus, layer);
    }
}
