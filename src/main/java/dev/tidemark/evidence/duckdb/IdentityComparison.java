package dev.tidemark.evidence.duckdb;

import dev.tidemark.evidence.Attribution;
import dev.tidemark.evidence.Difference;
import dev.tidemark.evidence.PartitionCount;
import dev.tidemark.evidence.Publications;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Field;
import dev.tidemark.job.IdentityMethod;
import dev.tidemark.job.IdentityPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares the columns of identities of a target, but for those by {@code raw}, which the cells say themselves, with a full
 * computation, for each day over exactly the events that the publication that wrote its row knew.
 *
 * <p>A day sees its own events, and for its sessions those of the next day that were not late for it: their ledger rows ({@code
 * neighbour}) name it. All events that were known say whom a device belongs to, and who is connected.
 */
public final class IdentityComparison implements GlobalComparison {
    private static final String WHAT = "compute the columns of identities";
    private static final String DAY_BEFORE = "cast(cast(c.partition as date) - 1 as varchar)";

    private final JobPlan plan;
    private final IdentityPlan identity;
    private final Recomputation recomputation;
    private final Names names;
    private final Spells spells;
    private final List<Integer> compared;
    private final List<Difference> differences = new ArrayList<>();
    private long equal;

    /**
     * Begins a comparison: first it is to be told of the publications.
     *
     * @param plan as it reads its history
     * @param recomputation over all changes of the history, those of other days too
     * @param from the first day as ISO text; null: from the first that there is
     * @param to the last one; null: to the last that there is
     */
    public IdentityComparison(JobPlan plan, Recomputation recomputation, @Nullable String from, @Nullable String to) {
        this.plan = plan;
        this.identity = Objects.requireNonNull(plan.identity(), "the job resolves identities");
        this.recomputation = recomputation;
        this.names = recomputation.names();
        this.spells = new Spells(plan, recomputation, Recomputation.within("t.partition", from, to));
        List<ValueColumn> columns = plan.target().columns();
        this.compared = IntStream.range(0, columns.size())
                .filter(i -> columns.get(i).function().isOfIdentities() && !CellSql.isOfCell(columns.get(i)))
                .boxed()
                .toList();
    }

    @Override
    public Publications.Visitor publications() {
        return spells;
    }

    /** A row of the target. */
    private record Row(String day, long moment, boolean whole, List<@Nullable Long> values) {}

    @Override
    public void compare() {
        spells.prepare();
        spells.find("own_spells", Spells.Late.LEFT_OUT, Spells.OWN_PARTITION);
        spells.find("own_whole", Spells.Late.COUNTED, Spells.OWN_PARTITION);
        spells.find("ahead_spells", Spells.Late.LEFT_OUT, DAY_BEFORE);
        spells.find("ahead_whole", Spells.Late.COUNTED, DAY_BEFORE);
        boolean isForgetful =
                recomputation.number("select count(*) from differences where verdict = 'beyond-memory'") > 0;
        Attribution known = null;
        Row before = null;
        for (Row row : rows()) {
            if (known == null || before == null || before.moment() != row.moment() || before.whole() != row.whole()) {
                known = new Attribution(identity.sessionGap());
                meet(row, known);
            }
            before = row;
            look(row, known);
            compare(row, known, isForgetful ? Difference.Verdict.BEYOND_MEMORY : Difference.Verdict.WRONG);
        }
        differences.sort(Comparator.comparing(Difference::partition));
    }

    @Override
    public long equal() {
        return equal;
    }

    @Override
    public long different() {
        return differences.size();
    }

    @Override
    public long beyondMemory() {
        return differences.stream()
                .filter(difference -> difference.verdict() == Difference.Verdict.BEYOND_MEMORY)
                .count();
    }

    @Override
    public PartitionCount wrong() {
        return new PartitionCount("", 0, 0, 0, 0, 0, 0, different() - beyondMemory());
    }

    @Override
    public long unknown() {
        return spells.unknown();
    }

    @Override
    public void forEach(long limit, Consumer<Difference> action) {
        differences.stream().limit(limit).forEach(action);
    }

    private List<Row> rows() {
        StringBuilder select = new StringBuilder("select t.partition, r.moment, r.whole");
        compared.forEach(index -> select.append(", t.c").append(index));
        select.append(" from published.target t join looked_at r on r.place = t.rowid order by r.moment, r.whole, 1");
        List<Row> rows = new ArrayList<>();
        ask(select.toString(), row -> {
            List<@Nullable Long> values = new ArrayList<>();
            for (int i = 0; i < compared.size(); i++) {
                long value = row.getLong(4 + i);
                values.add(row.wasNull() ? null : value);
            }
            rows.add(new Row(row.getString(1), row.getLong(2), row.getBoolean(3), values));
        });
        return rows;
    }

    /** Of the users of a device the one with most events comes first, then the one seen first, then the least. */
    private void meet(Row row, Attribution known) {
        ask(
                """
                select %s as device, %s as who from %s where %s and who <> ''
                group by 1, 2 order by device, count(*) desc, min(event_time), who""".formatted(device(), text(identity.user()), row.whole() ? "own_whole" : "own_spells", alive(row)),
                met -> known.met(met.getString(1), met.getString(2)));
    }

    private void look(Row row, Attribution known) {
        String event = device() + " as device, event_time, "
                + (identity.platform() == null ? "''" : text(identity.platform())) + " as platform, "
                + text(identity.user()) + " as who";
        String seen = alive(row) + " and partition = '" + row.day() + "'";
        known.begin();
        ask(
                """
                select device, event_time, platform, who, sum(own)::bigint from (
                    select %1$s, 1 as own from %2$s where %4$s union all select %1$s, 0 as own from %3$s where %4$s)
                group by 1, 2, 3, 4 order by 1, 2, 3, 4""".formatted(
                                event,
                                row.whole() ? "own_whole" : "own_spells",
                                row.whole() ? "ahead_whole" : "ahead_spells",
                                seen),
                each -> known.event(
                        each.getString(1), each.getLong(2), each.getString(3), each.getString(4), each.getLong(5)));
        known.end();
    }

    private void compare(Row row, Attribution known, Difference.Verdict verdict) {
        List<Difference.Value> values = new ArrayList<>();
        for (int i = 0; i < compared.size(); i++) {
            ValueColumn column = plan.target().columns().get(compared.get(i));
            IdentityMethod method = Objects.requireNonNull(column.method(), "a column of identities has a method");
            long expected = column.function() == Aggregate.IDENTITIES
                    ? known.identities(method)
                    : known.identifiedEvents(method);
            Long actual = row.values().get(i);
            if (actual == null || actual != expected) {
                values.add(new Difference.Value(column.name(), expected, actual));
            }
        }
        if (values.isEmpty()) {
            equal++;
        } else {
            differences.add(new Difference(row.day(), List.of(), Difference.Kind.DIFFERENT, verdict, values, null));
        }
    }

    private String device() {
        return names.field(identity.device());
    }

    private String text(Field field) {
        return "coalesce(" + names.field(field) + ", '')";
    }

    private static String alive(Row row) {
        return "born <= " + row.moment() + " and " + row.moment() + " < died";
    }

    /** What is done with a row. */
    private interface RowAction {
        void on(ResultSet row) throws SQLException;
    }

    private void ask(String sql, RowAction action) {
        try (Statement statement = recomputation.connection().createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                action.on(row);
            }
        } catch (SQLException failure) {
            throw DuckDatabase.failed(WHAT, failure);
        }
    }
}
