package dev.tidemark.identity;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.IdentityMethod;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.util.List;

/** The identity columns of a target, in the values of a row. Not thread-safe. */
final class IdentityColumns {
    private final List<ValueColumn> columns;
    private final RowLayout layout;
    private final RowLayout.Cursor cursor;
    private final ByteBuilder scratch = new ByteBuilder();

    IdentityColumns(JobPlan plan) {
        this.columns = plan.target().columns();
        this.layout = new RowLayout(columns.stream().map(ValueColumn::type).toList());
        this.cursor = new RowLayout.Cursor(layout);
    }

    /** The values of a day, of which the other columns are known, with those of the identity columns. */
    Bytes filled(Bytes values, DayCounts counts, UserGraph graph) {
        cursor.read(values.array());
        layout.begin(scratch);
        for (int i = 0; i < columns.size(); i++) {
            ValueColumn column = columns.get(i);
            IdentityMethod method = column.method();
            if (method != null) {
                layout.putFixed(
                        scratch,
                        i,
                        column.function() == Aggregate.IDENTITIES
                                ? counts.identities(method, graph)
                                : counts.identifiedEvents(method));
            } else if (!cursor.isNull(i)) {
                if (columns.get(i).type().isFixed()) {
                    layout.putFixed(scratch, i, cursor.fixed(i));
                } else {
                    layout.putBytes(scratch, i, cursor.source(), cursor.start(i), cursor.length(i));
                }
            }
        }
        return scratch.build();
    }
}
