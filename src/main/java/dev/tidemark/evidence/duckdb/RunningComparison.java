package dev.tidemark.evidence.duckdb;

import dev.tidemark.change.Values;
import dev.tidemark.evidence.Difference;
import dev.tidemark.evidence.PartitionCount;
import dev.tidemark.evidence.Publications;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares the running columns of a target with a full computation, for each row over exactly the changes before the
 * publication that wrote it.
 *
 * <p>A row is over the {@link Spells} of its key in its own and all earlier partitions that its publication falls into. So each
 * change is looked at once, however many publications there were.
 */
public final class RunningComparison implements GlobalComparison {
    private static final String WHAT = "compute the running columns";

    private final JobPlan plan;
    private final Recomputation recomputation;
    private final Names names;
    private final String within;
    private final List<Integer> running;
    private final Spells spells;

    /**
     * Begins a comparison: first it is to be told of the publications.
     *
     * @param plan as it reads its history
     * @param recomputation over all changes of the history, those of other partitions too
     * @param from the first partition as ISO text; null: from the first that there is
     * @param to the last one; null: to the last that there is
     */
    public RunningComparison(JobPlan plan, Recomputation recomputation, @Nullable String from, @Nullable String to) {
        this.plan = plan;
        this.recomputation = recomputation;
        this.names = recomputation.names();
        this.within = Recomputation.within("t.partition", from, to);
        List<ValueColumn> columns = plan.target().columns();
        this.running = IntStream.range(0, columns.size())
                .filter(i -> columns.get(i).function().isRunning())
                .boxed()
                .toList();
        this.spells = new Spells(plan, recomputation, within);
    }

    @Override
    public Publications.Visitor publications() {
        return spells;
    }

    @Override
    public void compare() {
        spells.prepare();
        spells.find("spells", Spells.Late.LEFT_OUT, Spells.OWN_PARTITION);
        spells.find("whole_spells", Spells.Late.COUNTED, Spells.OWN_PARTITION);
        recomputation.run(
                WHAT,
                "create view so_far as " + members("spells", "not r.whole") + " union all "
                        + members("whole_spells", "r.whole"));
        recomputation.computeCells(overAll(), "so_far", "running_cells");
        findDifferences();
    }

    @Override
    public long equal() {
        return recomputation.number("select count(*) from looked_at") - different();
    }

    @Override
    public long different() {
        return recomputation.number("select count(*) from running_differences");
    }

    @Override
    public long beyondMemory() {
        return recomputation.number("select count(*) from running_differences where verdict = 'beyond-memory'");
    }

    @Override
    public PartitionCount wrong() {
        long beyond = beyondMemory();
        return new PartitionCount("", 0, 0, 0, 0, 0, 0, different() - beyond);
    }

    @Override
    public long unknown() {
        return spells.unknown();
    }

    @Override
    public void forEach(long limit, Consumer<Difference> action) {
        List<String> select = new ArrayList<>(List.of("verdict", "partition"));
        select.addAll(names.keys());
        for (int index : running) {
            select.add("e" + index);
            select.add("c" + index);
        }
        String sql = "select " + Names.list(select) + " from running_differences order by verdict = 'wrong' desc, "
                + names.cell().stream().map(column -> column + " nulls first").collect(Collectors.joining(", "))
                + " limit " + limit;
        try (Statement statement = recomputation.connection().createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                action.accept(difference(row));
            }
        } catch (SQLException failure) {
            throw DuckDatabase.failed("read the differences", failure);
        }
    }

    private Difference difference(ResultSet row) throws SQLException {
        int at = 3;
        List<@Nullable Object> key = new ArrayList<>();
        for (Field field : plan.target().key()) {
            key.add(DuckTypes.read(row, at++, field.type()));
        }
        List<Difference.Value> values = new ArrayList<>();
        for (int index : running) {
            ValueColumn column = plan.target().columns().get(index);
            Object expected = DuckTypes.read(row, at++, column.type());
            Object actual = DuckTypes.read(row, at++, column.type());
            if (!Objects.equals(text(expected), text(actual))) {
                values.add(new Difference.Value(column.name(), expected, actual));
            }
        }
        Difference.Verdict verdict = row.getString(1).equals(Difference.Verdict.BEYOND_MEMORY.word())
                ? Difference.Verdict.BEYOND_MEMORY
                : Difference.Verdict.WRONG;
        return new Difference(row.getString(2), key, Difference.Kind.DIFFERENT, verdict, values, null);
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : Values.text(value);
    }

    /** The members of each row: those of its key that there were then, in its partition and all earlier ones. */
    private String members(String spells, String condition) {
        List<String> select = new ArrayList<>(List.of("r.partition", "s.hash"));
        names.keys().forEach(column -> select.add("r." + column));
        names.fields().forEach(column -> select.add("s." + column));
        this.spells.bits().forEach(column -> select.add("s." + column));
        return "select " + Names.list(select) + " from looked_at r join " + spells + " s on "
                + names.keys().stream()
                        .map(column -> "r." + column + " = s." + column)
                        .collect(Collectors.joining(" and "))
                + " and s.partition <= r.partition and s.born <= r.moment and r.moment < s.died where " + condition;
    }

    /** The job with plain functions in the place of running ones, and nothing else to compute; its rows are laid out alike. */
    private JobPlan overAll() {
        List<ValueColumn> columns = new ArrayList<>();
        for (ValueColumn column : plan.target().columns()) {
            boolean isRunning = column.function().isRunning();
            columns.add(new ValueColumn(
                    column.name(),
                    isRunning ? column.function().ofCell() : Aggregate.COUNT,
                    column.field(),
                    column.order(),
                    column.type(),
                    column.condition()));
        }
        TargetPlan target = plan.target();
        return plan.withTarget(
                new TargetPlan(target.schema(), target.table(), target.key(), columns, target.revisions()));
    }

    private void findDifferences() {
        List<String> select = new ArrayList<>();
        names.cell().forEach(column -> select.add("t." + column));
        List<String> differing = new ArrayList<>();
        for (int index : running) {
            select.add("c.c" + index + " as e" + index);
            select.add("t.c" + index);
            differing.add("c.c" + index + " is distinct from t.c" + index);
        }
        String sameKey = names.keys().stream()
                .map(column -> "d." + column + " is not distinct from t." + column)
                .collect(Collectors.joining(" and "));
        recomputation.run("compare the running columns", """
                create table running_differences as
                select case when exists (
                        select 1 from differences d
                        where d.verdict = 'beyond-memory' and d.partition <= t.partition and %s)
                    then 'beyond-memory' else 'wrong' end as verdict, %s
                from published.target t join looked_at r on r.place = t.rowid
                left join running_cells c on %s
                where %s""".formatted(
                        sameKey, Names.list(select), names.sameCell("c", "t"), String.join(" or ", differing)));
    }
}
