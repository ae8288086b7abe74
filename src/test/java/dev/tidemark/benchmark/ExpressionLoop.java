package dev.tidemark.benchmark;

import dev.tidemark.change.Draft;
import dev.tidemark.expression.Derivations;
import dev.tidemark.job.Expression;
import dev.tidemark.job.Expression.Call;
import dev.tidemark.job.Expression.Literal;
import dev.tidemark.job.Expression.Reference;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.Function;
import dev.tidemark.job.JobPlan.Derived;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How long expressions take a record: {@code quantity * unit_price}, {@code status <> 'test'} and both together. */
public final class ExpressionLoop {
    private static final int RECORDS = 20_000_000;

    private ExpressionLoop() {}

    /**
     * Prints nanoseconds of processor time a record, filling the draft included ({@code none}); the last of several rounds is
     * the one to read.
     */
    public static void main(String[] arguments) {
        Field quantity = new Field("quantity", FieldType.of(Kind.INT));
        Field price = new Field("unit_price", FieldType.decimal(10, 2));
        Field status = new Field("status", FieldType.of(Kind.STRING));
        Derived net = new Derived(
                new Field("net", FieldType.decimal(20, 2)),
                new Call(
                        Function.MULTIPLY,
                        List.of(new Reference(quantity), new Reference(price)),
                        FieldType.decimal(20, 2)));
        Expression isReal = new Call(
                Function.NOT_EQUAL,
                List.of(new Reference(status), new Literal(FieldType.of(Kind.STRING), "test")),
                FieldType.of(Kind.BOOLEAN));
        Derived where = new Derived(new Field("real", FieldType.of(Kind.BOOLEAN)), isReal);
        for (int round = 0; round < 3; round++) {
            measure("none", List.of(quantity, price, status), List.of());
            measure("net", List.of(quantity, price, status), List.of(net));
            measure("where", List.of(quantity, price, status), List.of(where));
            measure("both", List.of(quantity, price, status), List.of(net, where));
        }
    }

    private static long processorTime() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static void measure(String name, List<Field> decoded, List<Derived> derived) {
        List<Field> fields = new ArrayList<>(decoded);
        derived.forEach(each -> fields.add(each.field()));
        Derivations derivations = new Derivations(derived, fields, ZoneOffset.UTC);
        Draft draft = new Draft(fields.size());
        byte[] paid = "paid".getBytes(StandardCharsets.UTF_8);
        byte[] test = "test".getBytes(StandardCharsets.UTF_8);
        long seen = 0;
        long start = processorTime();
        for (int i = 0; i < RECORDS; i++) {
            draft.clear();
            draft.setFixed(0, i % 10);
            draft.setFixed(1, 100 + i % 100_000);
            draft.setBytes(2, i % 8 == 0 ? test : paid, 0, 4);
            derivations.evaluate(draft);
            for (int slot = decoded.size(); slot < fields.size(); slot++) {
                seen += draft.isNull(slot) ? 0 : draft.fixed(slot) + 1;
            }
        }
        long took = processorTime() - start;
        System.out.printf(Locale.ROOT, "%-6s %6.1f ns a record   (%d)%n", name, (double) took / RECORDS, seen);
    }
}
