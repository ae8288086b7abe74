package dev.tidemark.evidence.duckdb;

import dev.tidemark.change.Values;
import dev.tidemark.evidence.Difference;
import dev.tidemark.evidence.PartitionCount;
import dev.tidemark.evidence.Standpoint;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.JobPlan;
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
 * Compares the cells of a recomputation with the rows of the target, in both directions, and says of each that differs
 * whether that is accounted for.
 *
 * <p>A difference is looked at again with other changes taken: first without those whose open ledger row names the partition
 * (which leaves each record, within that partition, at the version that lives without them), then also with records begun
 * anew where they had been forgotten. A row of the target that is what comes of that is accounted for.
 */
public final class Comparison {
    private static final String DIFFERENCES = "differences";
    private static final FieldType NUMBER = FieldType.of(FieldType.Kind.LONG);

    private final JobPlan plan;
    private final Recomputation recomputation;
    private final Names names;
    private final List<Integer> compared;
    private final String within;

    /**
     * Compares some partitions.
     *
     * @param plan as it reads its history
     * @param recomputation whose cells are computed, of these partitions alone
     * @param from the first partition as ISO text; null: from the first that there is
     * @param to the last one; null: to the last that there is
     */
    public Comparison(JobPlan plan, Recomputation recomputation, @Nullable String from, @Nullable String to) {
        this.within = Recomputation.within("partition", from, to);
        this.plan = plan;
        this.recomputation = recomputation;
        this.names = recomputation.names();
        List<ValueColumn> columns = plan.target().columns();
        this.compared = IntStream.range(0, columns.size())
                .filter(i -> CellSql.isOfCell(columns.get(i)))
                .boxed()
                .toList();
    }

    /** The columns that this does not compare, because they depend on other partitions. */
    public static List<String> notOfCells(JobPlan plan) {
        return plan.target().columns().stream()
                .filter(column -> !CellSql.isOfCell(column))
                .map(ValueColumn::name)
                .toList();
    }

    /**
     * Compares, and leaves the table {@code differences}.
     *
     * @param standpoint where the target stands
     * @param comparable whether the history has the positions of the source: else a change of the ledger cannot be told in it
     */
    public void compare(Standpoint standpoint, boolean comparable) {
        findRepeated();
        findDifferences();
        if (differences() == 0) {
            return;
        }
        if (comparable) {
            exclude(standpoint);
            explain();
            if (plan.changes().hasId() && isWrong()) {
                new Forgetting(plan, recomputation).findSegments();
                recallForgotten();
            }
        } else {
            explainByKey();
        }
    }

    /** How many rows differ. */
    public long differences() {
        return recomputation.number("select count(*) from " + DIFFERENCES);
    }

    /** The counts of each partition that either side has, in their order. */
    public List<PartitionCount> counts() {
        String sql = """
                with sides as (
                    select partition, count(*) as computed, 0 as differing, 0 as missing, 0 as extra, 0 as different,
                        0 as explained, 0 as beyond_memory, 0 as wrong
                    from cells group by partition
                    union all
                    select partition, 0, count(*) filter (where kind in ('missing', 'different')),
                        count(*) filter (where kind = 'missing'), count(*) filter (where kind in ('extra', 'repeated')),
                        count(*) filter (where kind = 'different'), count(*) filter (where verdict = 'explained'),
                        count(*) filter (where verdict = 'beyond-memory'), count(*) filter (where verdict = 'wrong')
                    from differences group by partition)
                select partition, (sum(computed) - sum(differing))::bigint, sum(missing)::bigint, sum(extra)::bigint,
                    sum(different)::bigint, sum(explained)::bigint, sum(beyond_memory)::bigint, sum(wrong)::bigint
                from sides group by partition order by partition""";
        List<PartitionCount> counts = new ArrayList<>();
        try (Statement statement = recomputation.connection().createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                counts.add(new PartitionCount(
                        row.getString(1),
                        row.getLong(2),
                        row.getLong(3),
                        row.getLong(4),
                        row.getLong(5),
                        row.getLong(6),
                        row.getLong(7),
                        row.getLong(8)));
            }
        } catch (SQLException failure) {
            throw DuckDatabase.failed("count the rows", failure);
        }
        return counts;
    }

    /**
     * Hands over the rows that differ, those that are wrong first, else in the order of partition and key.
     *
     * @param limit how many at most
     */
    public void forEach(long limit, Consumer<Difference> action) {
        List<String> select = new ArrayList<>(List.of("kind", "verdict", "accounted", "unreadable", "partition"));
        select.addAll(names.keys());
        for (int index : compared) {
            select.add("e" + index);
            select.add("c" + index);
        }
        select.addAll(List.of("e_members", "members", "e_fingerprint", "fingerprint"));
        String sql = "select " + Names.list(select) + " from " + DIFFERENCES + " order by verdict = 'wrong' desc, "
                + names.cell().stream().map(column -> column + " nulls first").collect(Collectors.joining(", "))
                + ", number limit " + limit;
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
        Difference.Kind kind = Difference.Kind.valueOf(row.getString(1).toUpperCase(java.util.Locale.ROOT));
        Difference.Verdict verdict = verdict(row.getString(2));
        int at = 6;
        List<@Nullable Object> key = new ArrayList<>();
        for (Field field : plan.target().key()) {
            key.add(DuckTypes.read(row, at++, field.type()));
        }
        List<Difference.Value> values = new ArrayList<>();
        boolean both = kind == Difference.Kind.DIFFERENT;
        for (int index : compared) {
            ValueColumn column = plan.target().columns().get(index);
            at = value(row, at, column.name(), column.type(), both, values);
        }
        at = value(row, at, "_members", NUMBER, both, values);
        value(row, at, "_fingerprint", NUMBER, both, values);
        String unreadable = row.getString(4);
        if (unreadable != null) {
            values.add(new Difference.Value("", null, unreadable));
        }
        return new Difference(row.getString(5), key, kind, verdict, values, row.getString(3));
    }

    private static int value(
            ResultSet row, int at, String name, FieldType type, boolean both, List<Difference.Value> values)
            throws SQLException {
        Object expected = DuckTypes.read(row, at, type);
        Object actual = DuckTypes.read(row, at + 1, type);
        boolean same = Objects.equals(
                expected == null ? null : Values.text(expected), actual == null ? null : Values.text(actual));
        if (!both || !same) {
            values.add(new Difference.Value(name, expected, actual));
        }
        return at + 2;
    }

    private static Difference.Verdict verdict(String word) {
        for (Difference.Verdict verdict : Difference.Verdict.values()) {
            if (verdict.word().equals(word)) {
                return verdict;
            }
        }
        throw new IllegalStateException(word + " is no verdict");
    }

    /** Rows of a cell that has more than one, all but the first. */
    private void findRepeated() {
        recomputation.run("look for rows that are there more than once", """
                create table repeated as select place from (
                    select t.rowid as place, row_number() over (partition by %1$s order by t.rowid) as number
                    from published.target t
                    where exists (
                        select 1 from (
                            select %2$s from published.target where %4$s group by %2$s having count(*) > 1) r
                        where %3$s))
                where number > 1""".formatted(
                        Names.list("t", names.cell()), Names.list(names.cell()), names.sameCell("r", "t"), within));
    }

    private void findDifferences() {
        List<String> differing = new ArrayList<>(List.of("t.unreadable is not null"));
        List<String> select = new ArrayList<>();
        List<String> alone = new ArrayList<>();
        names.cell().forEach(column -> {
            select.add("coalesce(c." + column + ", t." + column + ") as " + column);
            alone.add("t." + column);
        });
        for (String column : sides()) {
            select.add("c." + column + " as " + expected(column));
            select.add("t." + column + " as " + column);
            alone.add("null");
            alone.add("t." + column);
            differing.add("c." + column + " is distinct from t." + column);
        }
        recomputation.run("compare the rows", """
                create table differences as
                select row_number() over () as number, * from (
                    select case when t.stands is null then 'missing' when c.computed is null then 'extra' else 'different' end as kind,
                        'wrong' as verdict, null::varchar as accounted, t.unreadable as unreadable, %s
                    from (select *, true as computed from cells) c
                    full outer join (
                        select *, true as stands from published.target
                        where %s and rowid not in (select place from repeated)) t on %s
                    where c.computed is null or t.stands is null or %s
                    union all
                    select 'repeated', 'wrong', null, t.unreadable, %s
                    from published.target t where t.rowid in (select place from repeated))""".formatted(
                        String.join(", ", select),
                        within,
                        names.sameCell("c", "t"),
                        String.join(" or ", differing),
                        String.join(", ", alone)));
        recomputation.run("clear away", "drop table repeated");
    }

    /** The columns that both sides have and that must be equal. */
    private List<String> sides() {
        List<String> columns = new ArrayList<>();
        compared.forEach(index -> columns.add("c" + index));
        columns.add("members");
        columns.add("fingerprint");
        return columns;
    }

    private static String expected(String column) {
        return column.startsWith("c") ? "e" + column.substring(1) : "e_" + column;
    }

    /**
     * What a partition does without: late changes whose open ledger row names it, and those that an earlier rebuild, which
     * filled it, had not read yet. A partition that is closed to one change of a record is closed to all that come later in
     * the log: from there on nothing of the record changes in it.
     */
    private void exclude(Standpoint standpoint) {
        recomputation.run("find what was late", """
                create table excluded as
                select distinct d.partition, l.split, l."offset"
                from (select distinct partition from differences) d
                join published.ledger l on l.partition = d.partition""");
        for (Standpoint.Rebuilt rebuilt : standpoint.rebuilt()) {
            String before = rebuilt.logs().stream()
                    .map(log -> "(log = " + literal(log.log()) + " and (split < " + literal(log.split())
                            + " or (split = " + literal(log.split()) + " and \"offset\" < " + log.nextOffset() + ")))")
                    .collect(Collectors.joining(" or ", "(", ")"));
            recomputation.run(
                    "find what came after a rebuild",
                    "insert into excluded select " + literal(rebuilt.partition())
                            + ", split, \"offset\" from changes where not " + before + " and exists (select 1 from "
                            + DIFFERENCES + " where partition = " + literal(rebuilt.partition()) + ")");
        }
        if (plan.changes().hasId()) {
            recomputation.run("find whose changes were late", """
                    create table frozen as
                    select c.record_id, e.partition as within, c.log, min(c.sequence) as sequence
                    from changes c join excluded e on c.split = e.split and c."offset" = e."offset"
                    group by c.record_id, e.partition, c.log""");
        }
    }

    /** That nothing of a change's record is frozen in a partition before the change. */
    private static String isBeforeFrozen(String change, String partition) {
        return "not exists (select 1 from frozen f where f.record_id = %1$s.record_id and f.within = %2$s and f.log = %1$s.log and f.sequence <= %1$s.sequence)"
                .formatted(change, partition);
    }

    private void explain() {
        if (recomputation.number("select count(*) from excluded") == 0) {
            return;
        }
        if (plan.changes().hasId()) {
            recomputation.run(
                    "see what lives without late changes",
                    "create table others as select * from ("
                            + new LiveSql(plan, names)
                                    .contested(
                                            "select c.*, i.within from changes c join (select distinct record_id, within from"
                                                    + " frozen) i using (record_id) where "
                                                    + isBeforeFrozen("c", "i.within"),
                                            List.of("record_id", "within"),
                                            List.of())
                            + ") where partition = within");
            recomputation.run(
                    "see what lives without late changes",
                    "insert into others by name select l.*, l.partition as within from live l where "
                            + inDifferences("l")
                            + " and not exists (select 1 from frozen f where f.record_id = l.record_id and f.within = l.partition)");
        } else {
            recomputation.run(
                    "see what there is without late changes",
                    "create table others as select * from live l where " + inDifferences("l")
                            + " and not exists (select 1 from excluded e where e.partition = l.partition"
                            + " and e.split = l.split and e.\"offset\" = l.\"offset\")");
        }
        decide(Difference.Verdict.EXPLAINED);
        nameLate();
        recomputation.run("clear away", "drop table others");
    }

    /** The late changes of records that are, or without them were, in the cell. */
    private void nameLate() {
        String ofRecord = plan.changes().hasId()
                ? "c.record_id in (select record_id from others m where " + names.sameCell("m", "d")
                        + " union all select record_id from live m where " + names.sameCell("m", "d") + ")"
                : names.sameCell("c", "d");
        recomputation.run(
                "name the late changes",
                "update differences as d set accounted = (select string_agg(position, ', ') from (select distinct e.split"
                        + " || ' @ ' || e.\"offset\" as position from excluded e join changes c on c.split = e.split and"
                        + " c.\"offset\" = e.\"offset\" where e.partition = d.partition and " + ofRecord
                        + " order by 1 limit 3)) where verdict = 'explained'");
    }

    private boolean isWrong() {
        return recomputation.number("select count(*) from differences where verdict = 'wrong' and kind <> 'repeated'")
                > 0;
    }

    /** Records are begun anew where they had been forgotten: what lived before stays where it was. */
    private void recallForgotten() {
        if (recomputation.number("select count(*) from segments where segment > 0") > 0) {
            recomputation.run(
                    "see what lives of forgotten records",
                    "create table others as select * from ("
                            + new LiveSql(plan, names)
                                    .contested(
                                            "select c.*, s.segment, p.within from changes c join segments s on s.log = c.log"
                                                    + " and s.sequence = c.sequence cross join (select distinct partition as within"
                                                    + " from differences where verdict = 'wrong') p"
                                                    + " where " + isBeforeFrozen("c", "p.within"),
                                            List.of("record_id", "segment", "within"),
                                            List.of())
                            + ") where partition = within");
            decide(Difference.Verdict.BEYOND_MEMORY);
            recomputation.run("name the forgotten records", """
                    update differences as d set accounted = (select string_agg(record_id, ', ') from (
                        select distinct c.record_id from changes c join segments s on s.log = c.log and s.sequence = c.sequence
                        where s.segment > 0 and c.record_id in (
                            select record_id from others m where %1$s union all select record_id from live m where %1$s)
                        order by 1 limit 3))
                    where verdict = 'beyond-memory'""".formatted(names.sameCell("m", "d")));
            recomputation.run("clear away", "drop table others");
        }
        recomputation.run("clear away", "drop table segments");
    }

    /** Gives a verdict to those differences whose row in the target is what comes of the members in {@code others}. */
    private void decide(Difference.Verdict verdict) {
        recomputation.computeCells("others", "other_cells");
        List<String> same = new ArrayList<>();
        sides().forEach(column -> same.add("o." + column + " is not distinct from d." + column));
        recomputation.run(
                "judge the differences",
                "update differences as d set verdict = '" + verdict.word()
                        + "' where verdict = 'wrong' and kind <> 'repeated' and unreadable is null and ("
                        + "(kind = 'missing' and not exists (select 1 from other_cells o where "
                        + names.sameCell("o", "d")
                        + ")) or (kind <> 'missing' and exists (select 1 from other_cells o where "
                        + names.sameCell("o", "d") + " and " + String.join(" and ", same) + ")))");
        recomputation.run("clear away", "drop table other_cells");
    }

    /** A history without positions does not tell which of its changes was late: what is open for a cell must do. */
    private void explainByKey() {
        List<String> key = new ArrayList<>();
        List<Field> fields = plan.target().key();
        for (int i = 0; i < fields.size(); i++) {
            key.add("json_extract_string(l.key, '$.\"" + fields.get(i).column() + "\"') = cast(d.k" + i
                    + " as varchar)");
        }
        String names = "l.partition = d.partition and (l.key is null or (" + String.join(" and ", key) + "))";
        recomputation.run(
                "judge the differences",
                "update differences as d set verdict = 'explained', accounted = (select string_agg(position, ', ') from"
                        + " (select distinct l.split || ' @ ' || l.\"offset\" as position from published.ledger l where "
                        + names + " order by 1 limit 3)) where kind <> 'repeated' and exists (select 1 from"
                        + " published.ledger l where " + names + ")");
    }

    private String inDifferences(String relation) {
        return "exists (select 1 from differences d where " + names.sameCell("d", relation) + ")";
    }

    private static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
