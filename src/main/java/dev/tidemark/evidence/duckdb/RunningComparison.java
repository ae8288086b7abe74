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
import org.duckdb.DuckDBAppender;
import org.jspecify.annotations.Nullable;

/**
 * Compares the running columns of a target with a full computation, for each row over exactly the changes before the
 * publication that wrote it.
 *
 * <p>Every version of a record that was ever admitted to a partition was a member there for a spell: from the publication that
 * read it to that in which a greater one of its record took its place. A change whose ledger row names the partition has no part
 * in it, unless a widening brought it in: then from there on. In what a rebuild has written every change has its part. A row is over the spells of its key in its own
 * and all earlier partitions that its publication falls into. So each change is looked at once, however many publications there
 * were.
 */
public final class RunningComparison implements Publications.Visitor {
    private static final String WHAT = "compute the running columns";

    private final JobPlan plan;
    private final Recomputation recomputation;
    private final Names names;
    private final String within;
    private final List<Integer> running;
    private final DuckDBAppender stood;
    private final DuckDBAppender late;

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
        recomputation.run(WHAT, """
                create table stood (
                    publication bigint not null, rebuild boolean not null, log varchar not null, split varchar not null,
                    next_offset bigint not null)""");
        recomputation.run(WHAT, """
                create table halves (split varchar not null, "offset" bigint not null, partition varchar, widened bigint)""");
        try {
            this.stood = recomputation.duckdb().createAppender("main", "stood");
            this.late = recomputation.duckdb().createAppender("main", "halves");
        } catch (SQLException failure) {
            throw DuckDatabase.failed(WHAT, failure);
        }
    }

    @Override
    public void stood(Publications.Stood log) {
        try {
            stood.beginRow()
                    .append(log.publication())
                    .append(log.rebuild())
                    .append(log.log())
                    .append(log.split())
                    .append(log.offset())
                    .endRow();
        } catch (SQLException failure) {
            throw DuckDatabase.failed(WHAT, failure);
        }
    }

    @Override
    public void late(Publications.Late half) {
        try {
            late.beginRow().append(half.split()).append(half.offset());
            if (half.partition() == null) {
                late.appendNull();
            } else {
                late.append(half.partition());
            }
            if (half.widened() == null) {
                late.appendNull();
            } else {
                late.append(half.widened().longValue());
            }
            late.endRow();
        } catch (SQLException failure) {
            throw DuckDatabase.failed(WHAT, failure);
        }
    }

    /** All has been told: compares. The local columns are compared already. */
    public void compare() {
        try {
            stood.close();
            late.close();
        } catch (SQLException failure) {
            throw DuckDatabase.failed(WHAT, failure);
        }
        findMoments();
        findChanges();
        findSpells("spells", Late.LEFT_OUT);
        findSpells("whole_spells", Late.COUNTED);
        findRows();
        recomputation.run(
                WHAT,
                "create view so_far as " + members("spells", "not r.whole") + " union all "
                        + members("whole_spells", "r.whole"));
        recomputation.computeCells(overAll(), "so_far", "running_cells");
        findDifferences();
    }

    /** How many rows are what they should be as of their publication. */
    public long equal() {
        return recomputation.number("select count(*) from looked_at") - different();
    }

    /** How many rows are not. */
    public long different() {
        return recomputation.number("select count(*) from running_differences");
    }

    /** How many of them are of a key of which records were forgotten. */
    public long beyondMemory() {
        return recomputation.number("select count(*) from running_differences where verdict = 'beyond-memory'");
    }

    /** Those of them that nothing accounts for, to be counted with the rows that are wrong in local columns. */
    public PartitionCount wrong() {
        long beyond = beyondMemory();
        return new PartitionCount("", 0, 0, 0, 0, 0, 0, different() - beyond);
    }

    /** How many rows were written by a publication of which it is not known what it had read. */
    public long unknown() {
        return recomputation.number(
                "select count(*) from published.target t where " + within + " and not exists (select 1 from"
                        + " moments m where m.publication = t.publication and m.moment is not null)");
    }

    /** Hands over the rows that differ, in the order of partition and key. */
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

    /**
     * The publication of the stream as of which each publication is: its own, or that whose positions a rebuild had. One that
     * came before the stream is as of itself.
     */
    private void findMoments() {
        recomputation.run(WHAT, """
                create table vectors as
                select publication, bool_or(rebuild) as rebuild,
                    list(struct_pack(log := log, split := split, next_offset := next_offset) order by log) as logs
                from stood group by publication""");
        recomputation.run(WHAT, """
                create table moments as
                select v.publication, v.rebuild as whole,
                    case when not v.rebuild or v.publication < coalesce(f.streamed, 9223372036854775807) then v.publication
                         else s.publication end as moment
                from vectors v
                cross join (select min(publication) filter (where not rebuild) as streamed from vectors) f
                left join (
                    select r.publication as rebuilt, max(s.publication) as publication
                    from vectors r join vectors s on s.logs = r.logs and not s.rebuild and s.publication < r.publication
                    where r.rebuild group by 1) s on s.rebuilt = v.publication""");
        recomputation.run("clear away", "drop table vectors");
    }

    /** The changes with the moment that read them and, within a record, their rank: the greatest lives. */
    private void findChanges() {
        recomputation.run(WHAT, """
                create table reached as
                select s.log, %s as place, min(s.publication) as moment
                from stood s join moments m using (publication)
                where m.moment = s.publication group by 1, 2""".formatted(sortKey("s.split", "s.next_offset")));
        recomputation.run(WHAT, """
                create table read_changes as
                select c.* exclude (place), r.moment as read_by
                from (select *, %s as place from changes) c
                asof left join reached r on c.log = r.log and c.place < r.place""".formatted(sortKey("split", "\"offset\"")));
        String version =
                names.versions().isEmpty() ? "null" : sortKey(names.versions().toArray(String[]::new));
        // A tombstone stands above what was read before it, and takes its version over.
        String ranked = names.versions().isEmpty() || plan.changes().mode() == JobPlan.Mode.APPEND
                ? sortKey("log", "sequence")
                : sortKey("version", "observation", "log", "sequence");
        recomputation.run(WHAT, """
                create table ranked as
                select *, %s as rank from (
                    select *, case when op = 'tombstone' then max(own) over earlier else own end as version,
                        case when op = 'tombstone' then max(observed_at) over earlier else observed_at end as observation
                    from (select *, %s as own from read_changes)
                    window earlier as (partition by record_id order by log, sequence
                        rows between unbounded preceding and 1 preceding))%s""".formatted(ranked, version, withoutCopies()));
        recomputation.run("clear away", "drop table read_changes");
        recomputation.run("clear away", "drop table reached");
        recomputation.run(WHAT, """
                create table left_out as
                select split, "offset", partition, case when count(widened) = count(*) then max(widened) end as widened
                from halves group by all""");
    }

    /** What says the same under the same version as what was read before is a copy: it changes nothing, late or not. */
    private String withoutCopies() {
        if (!plan.changes().hasId() || names.versions().isEmpty()) {
            return "";
        }
        List<String> said = new ArrayList<>(List.of("event_time"));
        said.addAll(names.keys());
        said.addAll(names.fields());
        return " qualify row_number() over (partition by record_id, version, op, case when op = 'upsert' then "
                + sortKey(said.toArray(String[]::new)) + " end order by read_by, log, sequence) = 1";
    }

    /** Whether changes whose ledger row names a partition count in it. */
    private enum Late {
        LEFT_OUT,
        COUNTED
    }

    private void findSpells(String into, Late lateChanges) {
        String since = lateChanges == Late.COUNTED ? "read_by" : "since";
        recomputation.run(
                WHAT, """
                create table lives as
                select c.rowid as version, c.record_id, c.partition, c.rank, %s as born
                from %s c where c.op = 'upsert'""".formatted(since.equals("read_by") ? "c.read_by" : since("c", "c.partition"), "ranked"));
        if (!plan.changes().hasId()) {
            recomputation.run(WHAT, "create table ends (version bigint, died bigint)");
        } else if (plan.changes().mode() == JobPlan.Mode.APPEND) {
            // The first one read counts, whether it was late or not.
            recomputation.run(WHAT, """
                    delete from lives where version not in (
                        select arg_min(version, rank) from lives group by record_id)""");
            recomputation.run(WHAT, "create table ends (version bigint, died bigint)");
        } else if (lateChanges == Late.COUNTED) {
            recomputation.run(WHAT, """
                    create table ends as
                    select l.version, min(c.read_by) as died
                    from lives l join ranked c on c.record_id = l.record_id and c.rank > l.rank
                    where c.read_by is not null group by 1""");
        } else {
            // The first greater one that was read took its place, or, being late there, left it standing for good. If
            // that was
            // read before it, it never stood.
            String order = sortKey("c.read_by", "c.log", "c.sequence");
            recomputation.run(WHAT, """
                    create table followed as
                    select l.version, l.partition, arg_min(c.rowid, %s) as next
                    from lives l join ranked c on c.record_id = l.record_id and c.rank > l.rank
                    where c.read_by is not null group by 1, 2""".formatted(order));
            recomputation.run(
                    WHAT, """
                    create table ends as
                    select f.version, case when %s < %s then -1 else %s end as died
                    from followed f join ranked c on c.rowid = f.version join ranked n on n.rowid = f.next""".formatted(sortKey("n.read_by", "n.log", "n.sequence"), order, since("n", "f.partition")));
            recomputation.run("clear away", "drop table followed");
        }
        List<String> columns = new ArrayList<>(List.of("c.partition", "c.hash"));
        names.keys().forEach(column -> columns.add("c." + column));
        names.fields().forEach(column -> columns.add("c." + column));
        bits().forEach(column -> columns.add("c." + column));
        recomputation.run(WHAT, """
                create table %s as
                select %s, l.born, coalesce(e.died, 9223372036854775807) as died
                from lives l join ranked c on c.rowid = l.version left join ends e on e.version = l.version
                where l.born is not null and (e.died is null or l.born < e.died)""".formatted(into, Names.list(columns)));
        recomputation.run("clear away", "drop table lives");
        recomputation.run("clear away", "drop table ends");
    }

    /** The moment from which on a change counts in a partition; null: never. */
    private static String since(String change, String partition) {
        String rows = "from left_out o where o.split = " + change + ".split and o.\"offset\" = " + change
                + ".\"offset\"" + " and (o.partition is null or o.partition = " + partition + ")";
        return "case when exists (select 1 " + rows + ") then (select max(o.widened) " + rows + ") else " + change
                + ".read_by end";
    }

    /** The rows that can be compared: of cells that are there once, written by a publication that is known. */
    private void findRows() {
        recomputation.run(WHAT, """
                create table looked_at as
                select t.rowid as place, %s, m.moment, m.whole
                from published.target t join moments m on m.publication = t.publication
                where m.moment is not null and %s
                qualify count(*) over (partition by %s) = 1""".formatted(Names.list("t", names.cell()), within, Names.list("t", names.cell())));
    }

    /** The members of each row: those of its key that there were then, in its partition and all earlier ones. */
    private String members(String spells, String condition) {
        List<String> select = new ArrayList<>(List.of("r.partition", "s.hash"));
        names.keys().forEach(column -> select.add("r." + column));
        names.fields().forEach(column -> select.add("s." + column));
        bits().forEach(column -> select.add("s." + column));
        return "select " + Names.list(select) + " from looked_at r join " + spells + " s on "
                + names.keys().stream()
                        .map(column -> "r." + column + " = s." + column)
                        .collect(Collectors.joining(" and "))
                + " and s.partition <= r.partition and s.born <= r.moment and r.moment < s.died where " + condition;
    }

    private List<String> bits() {
        return names.row().stream()
                .filter(field -> field.type().isFloatingPoint())
                .map(names::bits)
                .toList();
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

    private static String sortKey(String... columns) {
        List<String> parts = new ArrayList<>();
        for (String column : columns) {
            parts.add(column + ", 'ASC NULLS FIRST'");
        }
        return "create_sort_key(" + String.join(", ", parts) + ")";
    }
}
