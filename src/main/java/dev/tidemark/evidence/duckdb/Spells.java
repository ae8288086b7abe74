package dev.tidemark.evidence.duckdb;

import dev.tidemark.evidence.Publications;
import dev.tidemark.job.JobPlan;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBAppender;

/**
 * What was known to each publication, as spells: every version of a record that was ever admitted to a partition was a member
 * there from the publication that read it to that in which a greater one of its record took its place. A change whose ledger row
 * names the partition has no part in it, unless a widening brought it in: then from there on. In what a rebuild has written every
 * change has its part.
 *
 * <p>First it is to be told of the publications; {@link #prepare} then makes the table {@code looked_at}, the rows of the target
 * that can be compared (place, cell, moment, whole: whether a rebuild wrote it), and {@link #find} tables of spells: those with
 * {@code born <= moment and moment < died} are what a publication knew.
 */
final class Spells implements Publications.Visitor {
    /** A version is seen by its own partition. */
    static final String OWN_PARTITION = "c.partition";

    private static final String WHAT = "find what each publication knew";

    private final JobPlan plan;
    private final Recomputation recomputation;
    private final Names names;
    private final String within;
    private final DuckDBAppender stood;
    private final DuckDBAppender late;

    /**
     * @param plan as it reads its history
     * @param recomputation over all changes of the history, those of other partitions too
     * @param within which rows of the target are looked at: a condition over {@code t}
     */
    Spells(JobPlan plan, Recomputation recomputation, String within) {
        this.plan = plan;
        this.recomputation = recomputation;
        this.names = recomputation.names();
        this.within = within;
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

    /** All has been told. */
    void prepare() {
        try {
            stood.close();
            late.close();
        } catch (SQLException failure) {
            throw DuckDatabase.failed(WHAT, failure);
        }
        findMoments();
        findChanges();
        findRows();
    }

    /** How many rows were written by a publication of which it is not known what it had read. */
    long unknown() {
        return recomputation.number(
                "select count(*) from published.target t where " + within + " and not exists (select 1 from"
                        + " moments m where m.publication = t.publication and m.moment is not null)");
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
    enum Late {
        LEFT_OUT,
        COUNTED
    }

    /**
     * Finds the spells of every version as some partitions see them: a table of partition, hash, event time, key and fields, born
     * and died.
     *
     * @param partition the partition that sees a version, as SQL over the changes {@code c}
     */
    void find(String into, Late lateChanges, String partition) {
        String born = lateChanges == Late.COUNTED ? "c.read_by" : since("c", partition);
        recomputation.run(WHAT, """
                create table lives as
                select c.rowid as version, c.record_id, %s as partition, c.rank, %s as born
                from ranked c where c.op = 'upsert'""".formatted(partition, born));
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
            // that
            // was read before it, it never stood.
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
        List<String> columns = new ArrayList<>(List.of("l.partition", "c.hash", "c.event_time"));
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

    /** The bits of the floating-point fields. */
    List<String> bits() {
        return names.row().stream()
                .filter(field -> field.type().isFloatingPoint())
                .map(names::bits)
                .toList();
    }

    private static String sortKey(String... columns) {
        List<String> parts = new ArrayList<>();
        for (String column : columns) {
            parts.add(column + ", 'ASC NULLS FIRST'");
        }
        return "create_sort_key(" + String.join(", ", parts) + ")";
    }
}
