package dev.tidemark.cli;

import dev.tidemark.lateness.Advice;
import dev.tidemark.lateness.Candidate;
import dev.tidemark.lateness.Distribution;
import dev.tidemark.lateness.Evidence.Day;
import dev.tidemark.lateness.Evidence.LateLog;
import dev.tidemark.lateness.Quantile;
import dev.tidemark.lateness.Study;
import java.io.PrintWriter;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tables that a study of lateness is made of. Programs get milliseconds and every column, people spans. */
final class LatenessTables {
    private static final List<Quantile> TOLD = Arrays.asList(Quantile.values());
    private static final List<Quantile> TOLD_OF_A_DAY = List.of(Quantile.P50, Quantile.P99, Quantile.MAXIMUM);

    /** Percentiles that people like to take, and that lose what lies beyond them. */
    private static final List<Quantile> TAIL = List.of(Quantile.P999, Quantile.P9999);

    private final Study study;

    LatenessTables(Study study) {
        this.study = study;
    }

    /** Prints one of them. */
    void print(LatenessCommand.By by, Format format, PrintWriter out) {
        boolean forPeople = format == Format.TABLE;
        Rows rows = format.rows(out, columns(by, forPeople));
        rows(by, forPeople).forEach(rows::add);
        rows.end();
    }

    /** Prints the last days. */
    void printLastDays(int count, PrintWriter out) {
        List<List<@Nullable Object>> days = rows(LatenessCommand.By.DAY, true);
        Rows rows = Format.TABLE.rows(out, columns(LatenessCommand.By.DAY, true));
        days.subList(Math.max(0, days.size() - count), days.size()).forEach(rows::add);
        rows.end();
    }

    List<String> columns(LatenessCommand.By by, boolean forPeople) {
        List<String> columns = new ArrayList<>();
        switch (by) {
            case ARRIVAL -> {
                columns.addAll(List.of("arrival", "changes", "late"));
                TOLD.forEach(quantile -> columns.add(forPeople ? quantile.word() : column(quantile)));
                columns.add(forPeople ? "max age" : "max_age");
            }
            case DAY -> {
                columns.addAll(
                        forPeople
                                ? List.of("observed", "changes", "corrections", "late")
                                : List.of("observed_day", "changes", "corrections", "late"));
                (forPeople ? TOLD_OF_A_DAY : TOLD)
                        .forEach(quantile -> columns.add(forPeople ? quantile.word() : column(quantile)));
                columns.add(forPeople ? "max age" : "max_age");
                columns.add(forPeople ? "half window" : "half_window_exceeded");
            }
            case AGE ->
                columns.addAll(
                        forPeople
                                ? List.of("age", "changes", "first", "corrections", "late", "max")
                                : List.of("age", "changes", "first", "corrections", "late", "max_ms"));
            case SPLIT ->
                columns.addAll(
                        forPeople
                                ? List.of("log", "ledger rows", "late days", "max", "max age", "")
                                : List.of("log", "ledger_rows", "late_days", "max_ms", "max_age", "chronic"));
            case LOOKBACK ->
                columns.addAll(
                        forPeople
                                ? List.of(
                                        "lookback",
                                        "caught",
                                        "ledger",
                                        "corrections",
                                        "share",
                                        "up to",
                                        "open cells ~",
                                        "members ~",
                                        "rewrites <=",
                                        "")
                                : List.of(
                                        "lookback",
                                        "caught",
                                        "ledger",
                                        "ledger_first",
                                        "ledger_corrections",
                                        "greatest_lost_ms",
                                        "open_partitions",
                                        "open_cells_estimate",
                                        "remembered_members_estimate",
                                        "cells_rewritten_at_most",
                                        "marks"));
        }
        return columns;
    }

    List<List<@Nullable Object>> rows(LatenessCommand.By by, boolean forPeople) {
        return switch (by) {
            case ARRIVAL ->
                List.of(
                        arrival("all", study.all(), forPeople),
                        arrival("first", study.first(), forPeople),
                        arrival("correction", study.corrections(), forPeople));
            case DAY -> days(forPeople);
            case AGE -> ages(forPeople);
            case SPLIT ->
                study.evidence().logs().stream().map(log -> log(log, forPeople)).toList();
            case LOOKBACK ->
                study.sweep().stream()
                        .map(candidate -> candidate(candidate, forPeople))
                        .toList();
        };
    }

    /** What is special about a lookback: that it is set, advised, or the least that covers a percentile of the tail. */
    String marks(long lookback) {
        List<String> marks = new ArrayList<>();
        if (lookback == study.subject().lookback()) {
            marks.add("set");
        }
        for (Advice advice : study.advice()) {
            if (advice.outcome().lookback() == lookback) {
                marks.add(advice.policy().word());
            }
        }
        for (Quantile quantile : TAIL) {
            if (!study.advice().isEmpty() && study.lookbackAt(quantile) == lookback) {
                marks.add(quantile.word());
            }
        }
        return String.join(", ", marks);
    }

    private static List<@Nullable Object> arrival(String name, Distribution distribution, boolean forPeople) {
        List<@Nullable Object> row = Rows.row(name, distribution.changes(), distribution.late());
        List<@Nullable Object> all = new ArrayList<>(row);
        quantiles(all, distribution, TOLD, forPeople);
        all.add(distribution.isEmpty() ? null : distribution.maxAge());
        return all;
    }

    private List<List<@Nullable Object>> days(boolean forPeople) {
        NavigableMap<LocalDate, Day> observed = study.evidence().days();
        NavigableMap<LocalDate, Long> sensor = study.evidence().sensor();
        SortedSet<LocalDate> days = new TreeSet<>(observed.keySet());
        days.addAll(sensor.keySet());
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (LocalDate day : days) {
            Day seen = observed.getOrDefault(day, new Day());
            Distribution all = seen.all();
            List<@Nullable Object> row = new ArrayList<>(
                    Rows.row(day, all.changes(), seen.corrections().changes(), all.late()));
            quantiles(row, all, forPeople ? TOLD_OF_A_DAY : TOLD, forPeople);
            row.add(all.isEmpty() ? null : all.maxAge());
            row.add(study.hasSensor() ? sensor.getOrDefault(day, 0L) : null);
            rows.add(row);
        }
        return rows;
    }

    private List<List<@Nullable Object>> ages(boolean forPeople) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        Map<Long, Distribution.Counts> first = study.first().byAge();
        Map<Long, Distribution.Counts> corrections = study.corrections().byAge();
        study.all()
                .byAge()
                .forEach((age, counts) -> rows.add(Rows.row(
                        age,
                        counts.changes(),
                        first.getOrDefault(age, Distribution.Counts.NONE).changes(),
                        corrections.getOrDefault(age, Distribution.Counts.NONE).changes(),
                        counts.late(),
                        span(counts.maxMillis(), forPeople))));
        return rows;
    }

    private List<@Nullable Object> log(LateLog log, boolean forPeople) {
        boolean chronic = study.isChronic(log);
        return Rows.row(
                forPeople && log.log().isEmpty() ? "(the source is one log)" : log.log(),
                log.rows(),
                log.days(),
                log.greatestMillis() == null ? null : span(log.greatestMillis(), forPeople),
                log.greatestAge(),
                forPeople ? (chronic ? "chronically late" : "") : chronic);
    }

    private List<@Nullable Object> candidate(Candidate candidate, boolean forPeople) {
        String marks = marks(candidate.lookback());
        long members = Math.round(candidate.rememberedMembers());
        long cells = Math.round(candidate.openCells());
        return forPeople
                ? Rows.row(
                        candidate.lookback(),
                        candidate.caught(),
                        candidate.lost(),
                        candidate.lostCorrections(),
                        Words.percent(candidate.lost(), study.all().changes()),
                        span(candidate.greatestLostMillis(), true),
                        cells,
                        members,
                        candidate.reopened(),
                        marks)
                : Rows.row(
                        candidate.lookback(),
                        candidate.caught(),
                        candidate.lost(),
                        candidate.lostFirst(),
                        candidate.lostCorrections(),
                        span(candidate.greatestLostMillis(), false),
                        candidate.openPartitions(),
                        cells,
                        members,
                        candidate.reopened(),
                        marks);
    }

    private static void quantiles(
            List<@Nullable Object> row, Distribution distribution, List<Quantile> quantiles, boolean forPeople) {
        for (Quantile quantile : quantiles) {
            row.add(span(distribution.millis(quantile), forPeople));
        }
    }

    private static @Nullable Object span(long millis, boolean forPeople) {
        if (millis < 0) {
            return null;
        }
        return forPeople ? Words.spanOfMillis(millis) : (Object) millis;
    }

    static String column(Quantile quantile) {
        return quantile.word().replace('.', '_') + "_ms";
    }

    /** The quantiles that so many changes are too few to tell from the maximum, in words; empty: none. */
    static String untold(Distribution distribution) {
        return TOLD.stream()
                .filter(quantile -> !quantile.isTold(distribution.changes()))
                .map(Quantile::word)
                .collect(Collectors.joining(", "));
    }
}
