package dev.tidemark.evidence.duckdb;

import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.Mode;
import java.util.ArrayList;
import java.util.List;

/**
 * SQL that finds, among all changes of each record, the version that lives: the greatest by version, observed time and
 * position (log, then place in it). A record whose greatest version is there more than once, or that was withdrawn by a
 * tombstone, is looked at closely: see {@link #contested}.
 */
final class LiveSql {
    private final JobPlan plan;
    private final Names names;
    private final boolean versioned;

    LiveSql(JobPlan plan, Names names) {
        this.plan = plan;
        this.names = names;
        this.versioned = !plan.changes().version().isEmpty();
    }

    /**
     * What makes the table {@code live} of the view {@code changes}.
     *
     * @param among which changes are looked at; a record must be there with all of its changes or with none
     */
    List<String> statements(String among) {
        if (!plan.changes().hasId()) {
            return List.of("create table live as select * from changes where op = 'upsert' and " + among);
        }
        String order = versioned ? version("c") : Names.tuple(List.of("c.log", "c.sequence"));
        String best = plan.changes().mode() == Mode.APPEND ? "min" : "max";
        List<String> statements = new ArrayList<>();
        statements.add("create table best as select c.record_id, " + best + "(" + order + ") as v from changes c where "
                + among + " group by c.record_id");
        statements.add("create table top as select c.* from changes c join best b on c.record_id = b.record_id and "
                + order + " = b.v");
        if (!versioned) {
            statements.add("create table live as select * from top where op = 'upsert'");
        } else {
            statements.add("create table contested as select record_id from top group by record_id having count(*) > 1"
                    + " union select record_id from changes where op = 'tombstone' and " + among);
            statements.add("create table live as select * from top where op = 'upsert'"
                    + " and record_id not in (select record_id from contested)");
            statements.add("insert into live by name "
                    + contested(
                            "select c.* from changes c join contested using (record_id)",
                            List.of("record_id"),
                            List.of()));
            statements.add("drop table contested");
        }
        statements.add("drop table top");
        statements.add("drop table best");
        return statements;
    }

    /**
     * A query for what lives of some records, each looked at in the order of its changes' positions.
     *
     * <p>A tombstone stands above what was there before it: it takes over the greatest version, and the latest observation
     * of it. Of the changes of the greatest version, one leads if it was observed no earlier than all before it. The last
     * leader says what lives; what lives is the first of the leaders at the end that say the same, because the others are
     * copies of it.
     *
     * @param changes a query for all changes of these records
     * @param id the columns that tell the records apart
     * @param carried further columns of the changes that the result has too
     */
    String contested(String changes, List<String> id, List<String> carried) {
        String by = "partition by " + Names.list(id) + " order by log, sequence";
        List<String> columns = new ArrayList<>(columns());
        id.stream().filter(column -> !columns.contains(column)).forEach(columns::add);
        columns.addAll(carried);
        if (!versioned) {
            String winner = plan.changes().mode() == Mode.APPEND ? "asc" : "desc";
            return "select " + Names.list(columns) + " from (select *, row_number() over (partition by "
                    + Names.list(id) + " order by log " + winner + ", sequence " + winner + ") as place from ("
                    + changes
                    + ")) where place = 1 and op = 'upsert'";
        }
        String before = " rows between unbounded preceding and 1 preceding";
        String own = version("");
        return """
                with seen as (
                    select *, case when op = 'tombstone' then max(%2$s) over (%3$s%4$s) else %2$s end as eff,
                        coalesce(observed_at, -9223372036854775808) as observation
                    from (%1$s)
                ), greatest_seen as (
                    select * from seen
                    qualify eff is not distinct from max(eff) over (partition by %5$s)
                ), observed as (
                    select *, case when op = 'tombstone' then max(observation) over (%3$s) else observation end as observation_as
                    from greatest_seen
                ), leaders as (
                    select *, %6$s as says from observed
                    qualify observation_as >= coalesce(max(observation_as) over (%3$s%4$s), -9223372036854775808)
                ), turns as (
                    select *, says is distinct from lag(says) over (%3$s) or row_number() over (%3$s) = 1 as turn
                    from leaders
                )
                select %7$s from (
                    select *, row_number() over (partition by %5$s order by log desc, sequence desc) as place
                    from turns where turn)
                where place = 1 and op = 'upsert'""".formatted(changes, own, by, before, Names.list(id), says(), Names.list(columns));
    }

    /** All that two versions must have in common to say the same. Two that withdraw their record do. */
    private String says() {
        List<String> said = new ArrayList<>(List.of("event_time"));
        said.addAll(names.keys());
        said.addAll(names.fields());
        return "case when op = 'upsert' then " + Names.tuple(said) + " end";
    }

    /** The version as one value that orders as versions do; null for a tombstone. */
    private String version(String relation) {
        List<String> columns = names.versions();
        String prefix = relation.isEmpty() ? "" : relation + ".";
        List<String> values = columns.stream().map(column -> prefix + column).toList();
        return values.size() == 1
                ? values.get(0)
                : "case when " + values.get(0) + " is not null then " + Names.tuple(values) + " end";
    }

    private List<String> columns() {
        List<String> columns = new ArrayList<>(List.of(
                "log",
                "sequence",
                "split",
                "\"offset\"",
                "record_id",
                "op",
                "event_time",
                "observed_at",
                "partition",
                "hash"));
        columns.addAll(names.versions());
        columns.addAll(names.keys());
        columns.addAll(names.fields());
        names.row().stream()
                .filter(field -> field.type().isFloatingPoint())
                .forEach(field -> columns.add(names.bits(field)));
        return columns;
    }
}
