package dev.tidemark.cli;

import dev.tidemark.job.JobPlan;
import dev.tidemark.lateness.DailyReads;
import dev.tidemark.lateness.StrictLoss;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What readers with several lookbacks lost, and how much they read for it. */
final class StrictSweep {
    private final JobPlan plan;
    private final StrictOptions options;
    private final DailyReads reads;
    private final List<StrictLoss> losses;
    private final boolean valued;

    /**
     * @param losses one for each of the options' lookbacks
     */
    StrictSweep(JobPlan plan, StrictOptions options, DailyReads reads, List<StrictLoss> losses) {
        this.plan = plan;
        this.options = options;
        this.reads = reads;
        this.losses = losses;
        this.valued = options.value() != null;
    }

    void print(Format format, PrintWriter out) {
        boolean forPeople = format == Format.TABLE;
        if (forPeople) {
            out.print(new Sheet()
                    .line("job", plan.job())
                    .line("readers of", "updated >= MAX(updated) - lookback, " + options.shown(reads))
                    .line("updated", Table.plain(plan.changes().version().get(0).name()))
                    .line("counted", StrictReport.counted(losses.get(0), options))
                    .text());
            out.println();
        }
        Rows rows = format.rows(out, columns(forPeople));
        for (int i = 0; i < losses.size(); i++) {
            rows.add(row(options.lookbacks().get(i), losses.get(i), forPeople));
        }
        rows.end();
        if (forPeople) {
            out.println("(none: > MAX; rows a read: changes that a read loads in the mean; again: of these, those that"
                    + " an earlier one had loaded)");
        }
    }

    private List<String> columns(boolean forPeople) {
        List<String> columns = new ArrayList<>(
                forPeople
                        ? List.of("lookback", "lost", "share", "days with losses", "most a day")
                        : List.of("lookback_ms", "records", "lost", "days_with_losses", "most_a_day"));
        if (valued) {
            columns.add("value" + (forPeople ? options.currency() : ""));
        }
        columns.addAll(forPeople ? List.of("rows a read", "again") : List.of("reads", "rows_read", "rows_read_again"));
        return columns;
    }

    private List<@Nullable Object> row(Duration lookback, StrictLoss loss, boolean forPeople) {
        long days = loss.days().values().stream().filter(day -> day.lost() > 0).count();
        long most = loss.days().values().stream()
                .mapToLong(StrictLoss.Day::lost)
                .max()
                .orElse(0);
        List<@Nullable Object> row = new ArrayList<>();
        if (forPeople) {
            row.addAll(Rows.row(
                    lookback.isZero() ? "none" : Words.span(lookback),
                    Words.number(loss.lost()),
                    Words.percent(loss.lost(), loss.records()),
                    days,
                    most));
        } else {
            row.addAll(Rows.row(lookback.toMillis(), loss.records(), loss.lost(), days, most));
        }
        if (valued) {
            row.add(loss.value());
        }
        if (forPeople) {
            long reads = Math.max(1, loss.reads());
            row.add(Words.number(Math.round((double) loss.loadings() / reads)));
            row.add(Words.number(Math.round((double) loss.loadedAgain() / reads)));
        } else {
            row.addAll(Rows.row(loss.reads(), loss.loadings(), loss.loadedAgain()));
        }
        return row;
    }
}
