package dev.tidemark.evidence.duckdb;

import dev.tidemark.change.Values;
import dev.tidemark.evidence.Completeness;
import dev.tidemark.evidence.Standpoint;
import dev.tidemark.evidence.Unmatched;
import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.duckdb.DuckDBAppender;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether every source row that lives is in the target, once, or accounted for: by a ledger row or a rejection of the
 * very change.
 *
 * <p>A cell says by {@code _members} and {@code _fingerprint} of which rows it is made; a row of the target whose key holds the
 * whole record id is a cell of one. Where they are not those of the rows that should be there, the difference of the
 * fingerprints is that of the hashes of the rows in question: of one that is missing or too many it is the hash itself, of
 * two their sum, of one that stands in an older version the difference of both. So they are named exactly, by a search
 * for one hash and then for two; that a wrong row is named has a chance of one in 10^10 in a cell of 100,000 rows. Of more than
 * two, candidates are named where they are few, and it is said that they are no more than that.
 */
public final class Absences {
    private static final int CANDIDATES = 12;
    private static final String FAILING = "failing";

    private final JobPlan plan;
    private final Recomputation recomputation;
    private final Names names;
    private final String cell;
    private final String within;
    private long beyondMemory;

    /**
     * @param recomputation in which it was found what lives of these partitions
     * @param from the first partition as ISO text; null: from the first that there is
     * @param to the last one; null: to the last that there is
     */
    public Absences(JobPlan plan, Recomputation recomputation, @Nullable String from, @Nullable String to) {
        this.within = Recomputation.within("partition", from, to);
        this.plan = plan;
        this.recomputation = recomputation;
        this.names = recomputation.names();
        this.cell = Names.list(names.cell());
    }

    /**
     * Looks, and leaves the table {@code unmatched}.
     *
     * @param standpoint where the target stands
     * @param comparable whether the history has the positions of the source: else a change of the ledger cannot be told in it
     * @param store knows what else accounts for a change
     */
    public void find(Standpoint standpoint, boolean comparable, Completeness.Store store) {
        run(
                "begin the list",
                "create table unmatched (kind varchar, " + definedCell() + ", record_id varchar, split varchar,"
                        + " \"offset\" bigint, event_time bigint, observed_at bigint, n bigint, said varchar)");
        takeAccounts(store);
        compareCells();
        if (failing() == 0) {
            return;
        }
        exclude(standpoint);
        findWhatShouldStand(comparable);
        run("see what is accounted for", "create table looked_at as select * from failing");
        leaveOutAccounted();
        if (failing() > 0 && plan.changes().hasId() && comparable) {
            recallForgotten();
        }
        if (comparable) {
            requireAccounts();
        }
        if (failing() > 0) {
            nameRows();
        }
        for (String table : List.of("left_out", "shut", "involved", "stands", "looked_at", FAILING)) {
            run("clear away", "drop table if exists " + table);
        }
    }

    /** Source rows that live. */
    public long live() {
        return recomputation.number("select count(*) from live");
    }

    /** Of those, the ones that the ledger accounts for. */
    public long late() {
        return recomputation.number(
                "select count(*) from live l where exists (select 1 from accounts a where a.split = l.split"
                        + " and a.\"offset\" = l.\"offset\" and a.late and (a.partition is null or a.partition = l.partition))");
    }

    /** Of those, the ones that were rejected when they were read live. */
    public long refused() {
        return recomputation.number(
                "select count(*) from live l where exists (select 1 from accounts a where a.split = l.split"
                        + " and a.\"offset\" = l.\"offset\" and not a.late)");
    }

    /** Cells that are what comes of a forgotten record. */
    public long beyondMemory() {
        return beyondMemory;
    }

    /** Source rows by what is the matter with them. */
    public Map<Unmatched.Kind, Long> counts() {
        Map<Unmatched.Kind, Long> counts = new EnumMap<>(Unmatched.Kind.class);
        try (Statement statement = recomputation.connection().createStatement();
                ResultSet row = statement.executeQuery("select kind, sum(n)::bigint from unmatched group by kind")) {
            while (row.next()) {
                counts.put(Unmatched.Kind.of(row.getString(1)), row.getLong(2));
            }
        } catch (SQLException failure) {
            throw DuckDatabase.failed("count what was found", failure);
        }
        return counts;
    }

    /** Hands over what was found, in the order of partition, event time and key. */
    public void forEach(Consumer<Unmatched> action) {
        try (Statement statement = recomputation.connection().createStatement();
                ResultSet row =
                        statement.executeQuery("select kind, record_id, split, \"offset\", event_time, observed_at, n,"
                                + " said, " + cell + " from unmatched order by partition, event_time nulls last, "
                                + names.keys().stream()
                                        .map(key -> key + " nulls first, ")
                                        .collect(Collectors.joining())
                                + "split, \"offset\"")) {
            while (row.next()) {
                action.accept(unmatched(row));
            }
        } catch (SQLException failure) {
            throw DuckDatabase.failed("read what was found", failure);
        }
    }

    private Unmatched unmatched(ResultSet row) throws SQLException {
        List<@Nullable Object> key = new ArrayList<>();
        int at = 10;
        for (Field field : plan.target().key()) {
            key.add(DuckTypes.read(row, at++, field.type()));
        }
        long offset = row.getLong(4);
        boolean isPlaced = !row.wasNull();
        return new Unmatched(
                Unmatched.Kind.of(row.getString(1)),
                row.getString(9),
                key,
                row.getString(2),
                row.getString(3),
                isPlaced ? offset : null,
                instant(row, 5),
                instant(row, 6),
                row.getLong(7),
                row.getString(8));
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        long micros = row.getLong(column);
        return row.wasNull() ? null : Values.instant(micros);
    }

    /** Positions of changes that need not be in the target: open and dismissed ledger rows, and rejections. */
    private void takeAccounts(Completeness.Store store) {
        run(
                "take in what accounts for changes",
                "create table accounts (split varchar, \"offset\" bigint, partition varchar, late boolean)");
        try (DuckDBAppender out = recomputation.duckdb().createAppender("main", "accounts")) {
            store.accounts(new Completeness.Accounts() {
                @Override
                public void dismissed(String split, long offset, @Nullable String partition) {
                    append(out, split, offset, partition, true);
                }

                @Override
                public void refused(String split, long offset) {
                    append(out, split, offset, null, false);
                }
            });
        } catch (SQLException failure) {
            throw DuckDatabase.failed("take in what accounts for changes", failure);
        }
        run(
                "take in what accounts for changes",
                "insert into accounts select distinct split, \"offset\", partition, true from published.ledger");
    }

    private static void append(
            DuckDBAppender out, String split, long offset, @Nullable String partition, boolean isLate) {
        try {
            out.beginRow().append(split).append(offset);
            if (partition == null) {
                out.appendNull();
            } else {
                out.append(partition);
            }
            out.append(isLate).endRow();
        } catch (SQLException failure) {
            throw DuckDatabase.failed("take in what accounts for changes", failure);
        }
    }

    /** One aggregation over both sides: a join of millions of rows would cost several times as much. */
    private void compareCells() {
        run("compare the rows", """
                create table %1$s as select row_number() over () as number, * from (
                    select %2$s, sum(members)::bigint as members, modulo_64(sum(hash)) as fingerprint,
                        sum(counted)::bigint as counted, modulo_64(sum(mark)) as mark, sum(copies)::bigint as copies
                    from (
                        select %2$s, 1 as members, hash, 0::bigint as counted, 0::bigint as mark, 0 as copies from live
                        union all
                        select %2$s, 0, 0, coalesce(members, 0), coalesce(fingerprint, 0), 1 from published.target
                        where %3$s)
                    group by %2$s
                    having sum(members) <> sum(counted) or modulo_64(sum(hash)) <> modulo_64(sum(mark)) or sum(copies) > 1)""".formatted(FAILING, cell, within));
    }

    private long failing() {
        return recomputation.number("select count(*) from " + FAILING);
    }

    /**
     * Which changes a partition does without: late ones that name it, those that an earlier rebuild, which filled it, had not
     * read yet, and rejected ones. A partition that is closed to one change of a record is closed to all that come later in
     * the log: from there on nothing of the record changes in it.
     */
    private void exclude(Standpoint standpoint) {
        run("find what was late", """
                create table left_out as
                select distinct f.partition, a.split, a."offset" from (select distinct partition from failing) f
                join accounts a on a.partition = f.partition and a.late""");
        for (Standpoint.Rebuilt rebuilt : standpoint.rebuilt()) {
            String before = rebuilt.logs().stream()
                    .map(log -> "(log = " + literal(log.log()) + " and (split < " + literal(log.split())
                            + " or (split = " + literal(log.split()) + " and \"offset\" < " + log.nextOffset() + ")))")
                    .collect(Collectors.joining(" or ", "(", ")"));
            run(
                    "find what came after a rebuild",
                    "insert into left_out select " + literal(rebuilt.partition())
                            + ", split, \"offset\" from changes where not " + before
                            + " and exists (select 1 from failing where partition = " + literal(rebuilt.partition())
                            + ")");
        }
        if (plan.changes().hasId()) {
            run("find whose changes were late", """
                    create table shut as
                    select c.record_id, e.partition as within, c.log, min(c.sequence) as sequence
                    from changes c join left_out e on c.split = e.split and c."offset" = e."offset"
                    group by c.record_id, e.partition, c.log""");
            run("find whose changes were rejected", """
                    create table involved as
                    select record_id, within from shut
                    union
                    select c.record_id, f.partition from changes c
                    join accounts a on not a.late and c.split = a.split and c."offset" = a."offset"
                    cross join (select distinct partition from failing) f""");
        }
    }

    /** That a change counts in a partition. */
    private static String counts(String partition) {
        return "not exists (select 1 from shut f where f.record_id = c.record_id and f.within = " + partition
                + " and f.log = c.log and f.sequence <= c.sequence) and not exists (select 1 from accounts a where not a.late"
                + " and a.split = c.split and a.\"offset\" = c.\"offset\")";
    }

    /** The table {@code stands}: what lives, in the cells in question, of the history without what is left out. */
    private void findWhatShouldStand(boolean comparable) {
        String inQuestion = "exists (select 1 from failing f where " + names.sameCell("f", "l") + ")";
        if (!comparable) {
            run(
                    "see what should stand",
                    "create table stands as select l.* from live l where " + inQuestion
                            + " and not exists (select 1 from published.ledger a where a.record_id = l.record_id"
                            + " and (a.partition is null or a.partition = l.partition))");
        } else if (plan.changes().hasId()) {
            run(
                    "see what should stand",
                    "create table stands as select * exclude (within) from ("
                            + new LiveSql(plan, names)
                                    .contested(
                                            "select c.*, i.within from changes c join involved i using (record_id) where "
                                                    + counts("i.within"),
                                            List.of("record_id", "within"),
                                            List.of())
                            + ") l where partition = within and " + inQuestion);
            run(
                    "see what should stand",
                    "insert into stands by name select l.* from live l where " + inQuestion
                            + " and not exists (select 1 from involved i where i.record_id = l.record_id and i.within = l.partition)");
        } else {
            run(
                    "see what should stand",
                    "create table stands as select l.* from live l where " + inQuestion
                            + " and not exists (select 1 from left_out e where e.partition = l.partition"
                            + " and e.split = l.split and e.\"offset\" = l.\"offset\")"
                            + " and not exists (select 1 from accounts a where not a.late and a.split = l.split"
                            + " and a.\"offset\" = l.\"offset\")");
        }
    }

    /** What is made of the rows that should stand does not fail, unless it is there more than once. */
    private void leaveOutAccounted() {
        run(
                "see what is accounted for",
                "update failing as f set members = coalesce((select count(*) from stands s where "
                        + names.sameCell("s", "f")
                        + "), 0), fingerprint = coalesce((select modulo_64(sum(hash)) from stands s where "
                        + names.sameCell("s", "f") + "), 0)");
        run(
                "see what is accounted for",
                "delete from failing where members = counted and fingerprint = mark and copies <= 1");
    }

    /** Records are begun anew where they had been forgotten: then what lived before stays where it was. */
    private void recallForgotten() {
        run(
                "find whose changes to look at",
                "create table differences as select *, 'wrong' as verdict, 'different' as kind from failing where copies <= 1");
        new Forgetting(plan, recomputation).findSegments();
        if (recomputation.number("select count(*) from segments where segment > 0") > 0) {
            run(
                    "see what lives of forgotten records",
                    "create table recalled as select * from ("
                            + new LiveSql(plan, names)
                                    .contested(
                                            "select c.*, s.segment, p.within from changes c join segments s on s.log = c.log"
                                                    + " and s.sequence = c.sequence cross join (select distinct partition as within"
                                                    + " from failing) p where " + counts("p.within"),
                                            List.of("record_id", "segment", "within"),
                                            List.of())
                            + ") where partition = within");
            long before = failing();
            run(
                    "see what lives of forgotten records",
                    "create table recalled_cells as select f.number from failing f left join (select " + cell
                            + ", count(*) as members, modulo_64(sum(hash)) as fingerprint from recalled group by "
                            + cell + ") r on " + names.sameCell("r", "f")
                            + " where f.copies <= 1 and coalesce(r.members, 0) = f.counted"
                            + " and coalesce(r.fingerprint, 0) = f.mark");
            for (String table : List.of(FAILING, "looked_at")) {
                run(
                        "see what lives of forgotten records",
                        "delete from " + table + " where number in (select number from recalled_cells)");
            }
            beyondMemory = before - failing();
            run("clear away", "drop table recalled_cells");
            run("clear away", "drop table recalled");
        }
        run("clear away", "drop table segments");
        run("clear away", "drop table differences");
    }

    /** A row that need not stand, because something of its record was late, must itself be late or rejected. */
    private void requireAccounts() {
        run(
                "see what is accounted for",
                "insert into unmatched select 'missing', " + Names.list("l", names.cell())
                        + (plan.changes().hasId() ? ", l.record_id" : ", null")
                        + ", l.split, l.\"offset\", l.event_time, l.observed_at, 1,"
                        + " 'an earlier change of it is late, this one is not' from live l where exists (select 1 from looked_at f"
                        + " where " + names.sameCell("f", "l")
                        + ") and not exists (select 1 from stands s where s.split ="
                        + " l.split and s.\"offset\" = l.\"offset\") and not exists (select 1 from accounts a where a.split ="
                        + " l.split and a.\"offset\" = l.\"offset\" and (a.partition is null or a.partition = l.partition))"
                        + " and not exists (select 1 from left_out e where e.partition = l.partition and e.split = l.split and"
                        + " e.\"offset\" = l.\"offset\")");
    }

    private void nameRows() {
        run("name the rows", "alter table failing add column gap bigint");
        run("name the rows", "update failing set gap = modulo_64(fingerprint::hugeint - mark::hugeint)");
        run(
                "name the rows",
                "create table wanted as select f.number, l.* from stands l join failing f on "
                        + names.sameCell("l", "f"));
        run(
                "name the rows",
                "create table versions as select distinct on (f.number, c.record_id, c.hash) f.number, c.* from changes c"
                        + " join failing f on " + names.sameCell("c", "f") + " where c.op = 'upsert'"
                        + " order by f.number, c.record_id, c.hash, c.log, c.sequence");
        run("name the rows", "create table named (number bigint)");
        repeatedRows();
        wholeCells();
        one(1, "wanted", "f.gap", "'missing'", "null");
        one(
                -1,
                "versions",
                "modulo_64(-(f.gap::hugeint))",
                "case when exists (select 1 from wanted w where w.number = m.number and w.hash = m.hash and w.record_id"
                        + " is not distinct from m.record_id) then 'doubled' else 'unexpected' end",
                "case when not exists (select 1 from wanted w where w.number = m.number and w.hash = m.hash) then"
                        + " 'a version that lives there no longer' end");
        older();
        two(2, "wanted", "f.gap", "'missing'");
        two(-2, "versions", "modulo_64(-(f.gap::hugeint))", "'unexpected'");
        unresolved();
    }

    private void repeatedRows() {
        run(
                "name rows that are there more than once",
                "insert into unmatched select 'doubled', " + Names.list("f", names.cell())
                        + ", (select case when count(*) = 1 then any_value(record_id) end from wanted w where w.number ="
                        + " f.number), null, null, null, null, copies - 1, copies || ' rows of one key' from failing f where"
                        + " copies > 1");
        run("name the rows", "insert into named select number from failing where copies > 1");
    }

    /** Of a row that is not there, all; of a row that nothing stands behind, itself. */
    private void wholeCells() {
        run(
                "name the rows of whole cells",
                "insert into unmatched select 'missing', " + Names.list("w", names.cell())
                        + ", w.record_id, w.split, w.\"offset\", w.event_time, w.observed_at, 1, null from wanted w join failing f"
                        + " using (number) where f.copies = 0");
        run(
                "name the rows of whole cells",
                "insert into unmatched select 'unexpected', " + Names.list("f", names.cell())
                        + ", v.record_id, v.split, v.\"offset\", v.event_time, v.observed_at, greatest(f.counted, 1), case when"
                        + " v.hash is null then 'no change of the history makes it' else 'a version that lives there no longer'"
                        + " end from failing f left join versions v on v.number = f.number and v.hash = f.mark and f.counted ="
                        + " 1 where f.copies = 1 and f.members = 0");
        run(
                "name the rows",
                "insert into named select number from failing where copies = 0 or (copies = 1 and members = 0)");
    }

    /** One row whose hash is the gap. */
    private void one(int lacking, String among, String hash, String kind, String said) {
        run(
                "name single rows",
                "create table single as select f.number, m.rowid as place from failing f join " + among
                        + " m on m.number = f.number and m.hash = " + hash + " where f.members - f.counted = " + lacking
                        + open());
        keepUnique("single", List.of("place"));
        run(
                "name single rows",
                "insert into unmatched select " + kind + ", " + Names.list("m", names.cell())
                        + ", m.record_id, m.split, m.\"offset\", m.event_time, m.observed_at, 1, " + said
                        + " from single s join " + among + " m on m.rowid = s.place");
        close("single");
    }

    /** One row that stands in another version: the gap is the difference of the hashes. */
    private void older() {
        run(
                "name rows that stand in another version",
                "create table pair as select f.number, w.rowid as place, v.rowid as other, w.record_id is not distinct from"
                        + " v.record_id as same from failing f join wanted w on w.number = f.number join versions v on v.number ="
                        + " f.number and v.hash = modulo_64(w.hash::hugeint - f.gap::hugeint) where f.members = f.counted"
                        + " and f.gap <> 0" + open());
        run(
                "name rows that stand in another version",
                "delete from pair p where not same and exists (select 1 from pair o where o.number = p.number and o.same)");
        keepUnique("pair", List.of("place", "other"));
        run(
                "name rows that stand in another version",
                "insert into unmatched select case when p.same then 'stale' else 'missing' end, "
                        + Names.list("w", names.cell())
                        + ", w.record_id, w.split, w.\"offset\", w.event_time, w.observed_at, 1, case when p.same then"
                        + " 'the version of ' || v.split || ' @ ' || v.\"offset\" || ' stands in its place' end from pair p"
                        + " join wanted w on w.rowid = p.place join versions v on v.rowid = p.other");
        run(
                "name rows that stand in another version",
                "insert into unmatched select 'unexpected', " + Names.list("v", names.cell())
                        + ", v.record_id, v.split, v.\"offset\", v.event_time, v.observed_at, 1, null from pair p"
                        + " join versions v on v.rowid = p.other where not p.same");
        close("pair");
    }

    /** Two rows whose hashes add up to the gap. */
    private void two(int lacking, String among, String sum, String kind) {
        run(
                "name two rows",
                "create table pair as select f.number, m.rowid as place, o.rowid as other from failing f join " + among
                        + " m on m.number = f.number join " + among
                        + " o on o.number = f.number and o.hash = modulo_64((" + sum
                        + ")::hugeint - m.hash::hugeint) and o.rowid > m.rowid"
                        + " where f.members - f.counted = " + lacking + open());
        keepUnique("pair", List.of("place", "other"));
        for (String side : List.of("place", "other")) {
            run(
                    "name two rows",
                    "insert into unmatched select " + kind + ", " + Names.list("m", names.cell())
                            + ", m.record_id, m.split, m.\"offset\", m.event_time, m.observed_at, 1, null from pair p join "
                            + among
                            + " m on m.rowid = p." + side);
        }
        close("pair");
    }

    private static String open() {
        return " and f.number not in (select number from named)";
    }

    /** Where there are several answers there is none. */
    private void keepUnique(String table, List<String> columns) {
        run(
                "name the rows",
                "delete from " + table + " where number in (select number from " + table
                        + " group by number having count(distinct (" + Names.list(columns) + ")) > 1)");
    }

    private void close(String table) {
        run("name the rows", "insert into named select distinct number from " + table);
        run("clear away", "drop table " + table);
    }

    /** What no search has named: how many, and who comes into question if they are few. */
    private void unresolved() {
        run("say what cannot be named", """
                insert into unmatched
                select 'unresolved', %s, null, null, null, null, null, greatest(abs(f.members - f.counted), 1),
                    case when f.members > f.counted then (f.members - f.counted) || ' of ' || f.members || ' rows are missing'
                         when f.members < f.counted then (f.counted - f.members) || ' rows too many, beside ' || f.members
                         else 'other rows than the ' || f.members || ' of the source' end
                    || case when f.members between 1 and %d then ': among ' || (
                            select string_agg(coalesce(w.record_id, w.split || ' @ ' || w."offset"), ', '
                                order by w.record_id, w.split, w."offset") from wanted w where w.number = f.number)
                       else '' end
                from failing f where f.number not in (select number from named)""".formatted(Names.list("f", names.cell()), CANDIDATES));
    }

    private String definedCell() {
        List<String> columns = new ArrayList<>(List.of("partition varchar"));
        List<Field> fields = plan.target().key();
        for (int i = 0; i < fields.size(); i++) {
            columns.add("k" + i + " " + DuckTypes.sql(fields.get(i).type()));
        }
        return String.join(", ", columns);
    }

    private void run(String what, String sql) {
        recomputation.run(what, sql);
    }

    private static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
