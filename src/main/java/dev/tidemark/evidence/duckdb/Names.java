package dev.tidemark.evidence.duckdb;

import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The columns of the recomputation's tables: numbered, so that no name of a job meets one of them. */
final class Names {
    private final JobPlan plan;
    private final List<Field> row;

    Names(JobPlan plan) {
        this.plan = plan;
        this.row = plan.rowFields();
    }

    List<Field> row() {
        return row;
    }

    /** The column of a field of a row. */
    String field(Field field) {
        return "f" + row.indexOf(field);
    }

    /** The column that holds the bits of a floating-point field. */
    String bits(Field field) {
        return "b" + row.indexOf(field);
    }

    List<String> versions() {
        return numbered("v", plan.changes().version().size());
    }

    List<String> keys() {
        return numbered("k", plan.target().key().size());
    }

    List<String> fields() {
        return numbered("f", row.size());
    }

    List<String> values() {
        return numbered("c", plan.target().columns().size());
    }

    /** The columns that identify a cell. */
    List<String> cell() {
        List<String> cell = new ArrayList<>(List.of("partition"));
        cell.addAll(keys());
        return cell;
    }

    /** The definition of the table of changes, in the order in which a change is written. */
    String changes() {
        List<String> columns = new ArrayList<>(List.of(
                "log varchar not null",
                "sequence bigint not null",
                "split varchar not null",
                "\"offset\" bigint not null",
                "record_id varchar",
                "op varchar not null",
                "event_time bigint",
                "observed_at bigint",
                "partition varchar",
                "hash bigint"));
        define(columns, "v", plan.changes().version());
        define(columns, "k", plan.target().key());
        define(columns, "f", row);
        for (int i = 0; i < row.size(); i++) {
            if (row.get(i).type().isFloatingPoint()) {
                columns.add("b" + i + " bigint");
            }
        }
        return "create table changes (" + String.join(", ", columns) + ")";
    }

    /** Key columns of two relations are the same; the target's might be null if somebody put it there. */
    String sameCell(String one, String other) {
        return cell().stream()
                .map(column -> one + "." + column + " is not distinct from " + other + "." + column)
                .collect(Collectors.joining(" and "));
    }

    static String list(List<String> columns) {
        return String.join(", ", columns);
    }

    static String list(String relation, List<String> columns) {
        return columns.stream().map(column -> relation + "." + column).collect(Collectors.joining(", "));
    }

    /** Several values as one that orders as they do, from the first to the last. */
    static String tuple(List<String> values) {
        return IntStream.range(0, values.size())
                .mapToObj(i -> "t" + i + " := " + values.get(i))
                .collect(Collectors.joining(", ", "struct_pack(", ")"));
    }

    private static void define(List<String> columns, String letter, List<Field> fields) {
        for (int i = 0; i < fields.size(); i++) {
            columns.add(letter + i + " " + DuckTypes.sql(fields.get(i).type()));
        }
    }

    private static List<String> numbered(String letter, int count) {
        IntFunction<String> name = i -> letter + i;
        return IntStream.range(0, count).mapToObj(name).toList();
    }
}
