package dev.tidemark.evidence.duckdb;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.IdentityMethod;
import dev.tidemark.job.IdentityPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * SQL that makes cells of members, from the job's plan. Sums and averages of integers and decimals are computed in integers
 * and rounded once. {@code first} and {@code latest} find the row that wins, once for all columns that ask for the same
 * order; their values are then read from it. Sums of floating-point numbers are not for SQL: see {@link ExactSums}.
 */
final class CellSql {
    /** What SQL lacks: an average that is exact until it is rounded half up, and a decimal made of its digits. */
    static final List<String> MACROS = List.of(
            "create macro digits_of(number) as replace(cast(number as varchar), '.', '')::hugeint", """
            create macro half_up(total, n) as
                (case when total < 0 then -1 else 1 end)
                * ((abs(total) // n) * 1000000
                    + ((abs(total) % n) * 1000000) // n
                    + case when 2 * (((abs(total) % n) * 1000000) % n) >= n then 1 else 0 end)""", """
            create macro with_point(number, scale) as
                case when number < 0 then '-' else '' end
                || left(lpad(cast(abs(number) as varchar), greatest(scale + 1, length(cast(abs(number) as varchar)))::integer, '0'), -scale)
                || '.'
                || right(lpad(cast(abs(number) as varchar), greatest(scale + 1, length(cast(abs(number) as varchar)))::integer, '0'), scale)""", """
            create macro modulo_64(total) as
                (((total % 18446744073709551616::hugeint) + 27670116110564327424::hugeint) % 18446744073709551616::hugeint
                    - 9223372036854775808::hugeint)::bigint""");

    private final JobPlan plan;
    private final Names names;
    private final Map<String, Integer> contests = new LinkedHashMap<>();

    CellSql(JobPlan plan, Names names) {
        this.plan = plan;
        this.names = names;
        for (ValueColumn column : plan.target().columns()) {
            if (isContest(column)) {
                contests.putIfAbsent(contest(column), contests.size());
            }
        }
    }

    /** The columns whose sums are to be made of the bits of floating-point numbers. */
    List<Integer> exactSums() {
        List<Integer> exact = new ArrayList<>();
        List<ValueColumn> columns = plan.target().columns();
        for (int i = 0; i < columns.size(); i++) {
            if (isExactSum(columns.get(i))) {
                exact.add(i);
            }
        }
        return exact;
    }

    /** Makes a table of a row a cell: partition, key, members, fingerprint, what SQL can aggregate, and who wins. */
    String aggregated(String members, String into) {
        List<String> select = new ArrayList<>(names.cell());
        select.add("count(*) as members");
        select.add("modulo_64(sum(hash)) as fingerprint");
        List<ValueColumn> columns = plan.target().columns();
        for (int i = 0; i < columns.size(); i++) {
            ValueColumn column = columns.get(i);
            if (!isContest(column) && !isExactSum(column)) {
                select.add(aggregate(column) + " as c" + i);
            }
        }
        contests.forEach((contest, number) -> select.add(contest + " as w" + number));
        return "create table " + into + " as select " + String.join(", ", select) + " from " + members + " group by "
                + Names.list(names.cell());
    }

    /** Query for the parts of a column's exact sums: cell (its row), exponent, sum of the mantissas, how many. */
    String mantissas(String members, String aggregated, int index) {
        ValueColumn column = plan.target().columns().get(index);
        Field field = Objects.requireNonNull(column.field());
        String bits = "m." + names.bits(field);
        String exponent = "((" + bits + " >> 52) & 2047)";
        String mantissa =
                "((" + bits + " & 4503599627370495) + case when " + exponent + " = 0 then 0 else 4503599627370496 end)";
        return "select a.rowid as cell, greatest(" + exponent + ", 1) as exponent, sum(case when " + bits
                + " < 0 then -"
                + mantissa + " else " + mantissa + " end) as total, count(*) as n from " + members + " m join "
                + aggregated + " a on " + names.sameCell("m", "a") + " where " + bits + " is not null"
                + (column.condition() == null ? "" : " and " + condition("m", column)) + " group by 1, 2 order by 1";
    }

    /** Makes the table of cells of what {@link #aggregated} has made; exact sums are in tables named x and the column. */
    String assembled(String members, String aggregated, String into) {
        List<String> select = new ArrayList<>(
                names.cell().stream().map(column -> "a." + column).toList());
        StringBuilder joins = new StringBuilder();
        contests.values()
                .forEach(number -> joins.append(" left join ")
                        .append(members)
                        .append(" m")
                        .append(number)
                        .append(" on m")
                        .append(number)
                        .append(".rowid = a.w")
                        .append(number));
        List<ValueColumn> columns = plan.target().columns();
        for (int i = 0; i < columns.size(); i++) {
            ValueColumn column = columns.get(i);
            if (isContest(column)) {
                Field field = Objects.requireNonNull(column.field());
                select.add("m" + contests.get(contest(column)) + "." + names.field(field) + " as c" + i);
            } else if (isExactSum(column)) {
                select.add("x" + i + ".total as c" + i);
                joins.append(" left join x" + i + " on x" + i + ".cell = a.rowid");
            } else {
                select.add("a.c" + i);
            }
        }
        select.add("a.members");
        select.add("a.fingerprint");
        return "create table " + into + " as select " + String.join(", ", select) + " from " + aggregated + " a"
                + joins;
    }

    /** Whether a column is a function of its cell's own members, so that a cell says it. */
    static boolean isOfCell(ValueColumn column) {
        return !column.function().isRunning() && (column.method() == null || column.method() == IdentityMethod.RAW);
    }

    private static boolean isContest(ValueColumn column) {
        return column.function() == Aggregate.FIRST || column.function() == Aggregate.LATEST;
    }

    private static boolean isExactSum(ValueColumn column) {
        return (column.function() == Aggregate.SUM || column.function() == Aggregate.AVG)
                && Objects.requireNonNull(column.field()).type().isFloatingPoint();
    }

    /** The row of the member that wins: by event time, the order fields with nulls lowest, version, then position. */
    private String contest(ValueColumn column) {
        List<String> order = new ArrayList<>(List.of("event_time"));
        column.order().forEach(field -> order.add(names.field(field)));
        order.addAll(names.versions());
        order.add("log");
        order.add("sequence");
        String key = "create_sort_key("
                + String.join(
                        ", ",
                        order.stream().map(each -> each + ", 'ASC NULLS FIRST'").toList())
                + ")";
        return (column.function() == Aggregate.LATEST ? "arg_max" : "arg_min") + "(rowid, " + key + ")"
                + filter(column);
    }

    private String aggregate(ValueColumn column) {
        Field field = column.field();
        if (field == null && column.function() == Aggregate.COUNT) {
            return "count(*)" + filter(column);
        }
        String value = field == null ? "" : names.field(field);
        return switch (column.function()) {
            case COUNT -> "count(" + value + ")" + filter(column);
            case COUNT_DISTINCT -> "count(distinct " + value + ")" + filter(column);
            case MIN -> "min(" + value + ")" + filter(column);
            case MAX -> "max(" + value + ")" + filter(column);
            case SUM -> "cast(sum(" + value + ")" + filter(column) + " as " + DuckTypes.sql(column.type()) + ")";
            case AVG -> average(column, Objects.requireNonNull(field).type(), value);
            case FIRST, LATEST -> throw new IllegalStateException(column.name() + " has a winner");
            // No function of the cell's own rows: to be computed and compared apart.
            case RUNNING_COUNT, RUNNING_SUM, RUNNING_COUNT_DISTINCT -> nothing(column);
            case IDENTITIES, IDENTIFIED_EVENTS -> isOfCell(column) ? raw(column) : nothing(column);
        };
    }

    private static String nothing(ValueColumn column) {
        return "cast(null as " + DuckTypes.sql(column.type()) + ")";
    }

    /** The users, and the devices of events that have none. */
    private String raw(ValueColumn column) {
        IdentityPlan identity = Objects.requireNonNull(plan.identity(), "the column asks for it");
        String user = "nullif(" + names.field(identity.user()) + ", '')";
        return column.function() == Aggregate.IDENTIFIED_EVENTS
                ? "count(" + user + ")"
                : "count(distinct " + user + ") + count(distinct " + names.field(identity.device()) + ") filter (where "
                        + user + " is null)";
    }

    private String average(ValueColumn column, FieldType type, String value) {
        String sum = "sum(" + value + ")" + filter(column);
        String total = type.kind() == Kind.DECIMAL ? "digits_of(" + sum + ")" : "cast(" + sum + " as hugeint)";
        String count = "count(" + value + ")" + filter(column);
        return "case when " + count + " > 0 then cast(with_point(half_up(" + total + ", " + count + "), "
                + column.type().scale() + ") as " + DuckTypes.sql(column.type()) + ") end";
    }

    private String filter(ValueColumn column) {
        return column.condition() == null ? "" : " filter (where " + condition("", column) + ")";
    }

    private String condition(String relation, ValueColumn column) {
        Field field = Objects.requireNonNull(column.conditionField());
        return (relation.isEmpty() ? "" : relation + ".") + names.field(field);
    }
}
