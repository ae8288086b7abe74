package dev.tidemark.publish.jdbc;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.source.StartPositions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the bookkeeping tables hold as jsonb. */
final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final TypeReference<TreeMap<String, Position>> POSITIONS = new TypeReference<>() {};

    private Json() {}

    /**
     * Where a log stands.
     *
     * @param frontier in microseconds; null before the first mark
     * @param wholeFrom the first partition that it holds whole; null: all
     */
    record Position(
            String split,
            long offset,
            @Nullable Long frontier,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Long wholeFrom) {}

    /** Log to position; of several cuts of a log the furthest. */
    static String logs(List<LogCut> logs) {
        Map<String, LogCut> furthest = new TreeMap<>();
        for (LogCut log : logs) {
            furthest.merge(log.log(), log, (one, other) -> one.comparePositionTo(other) >= 0 ? one : other);
        }
        Map<String, Position> positions = new TreeMap<>();
        for (LogCut log : furthest.values()) {
            Long frontier = log.frontier() == LogCut.UNKNOWN ? null : Long.valueOf(log.frontier());
            Long wholeFrom = log.wholeFrom() == LogCut.UNKNOWN ? null : Long.valueOf(log.wholeFrom());
            positions.put(log.log(), new Position(log.split(), log.nextOffset(), frontier, wholeFrom));
        }
        return write(positions);
    }

    /** The inverse of {@link #logs}; the cuts count nothing. */
    static List<LogCut> logs(String json) {
        List<LogCut> logs = new ArrayList<>();
        read(json, POSITIONS)
                .forEach((log, at) -> logs.add(new LogCut(
                        log,
                        at.split(),
                        at.offset(),
                        at.split(),
                        at.offset(),
                        at.frontier() == null ? LogCut.UNKNOWN : at.frontier(),
                        at.wholeFrom() == null ? LogCut.UNKNOWN : at.wholeFrom(),
                        false,
                        false)));
        return logs;
    }

    static List<LogCut> allLogs(List<Cut> cuts) {
        return cuts.stream().flatMap(cut -> cut.logs().stream()).toList();
    }

    /** Split to next offset. */
    static String positions(List<LogCut> logs) {
        Map<String, Long> positions = new TreeMap<>();
        logs.forEach(log -> positions.put(log.split(), log.nextOffset()));
        return write(positions);
    }

    /** Which topic, and log to offset. */
    static String startPositions(StartPositions.Fixed positions) {
        return write(positions);
    }

    /** The inverse. */
    static StartPositions.Fixed startPositions(String json) {
        return read(json, new TypeReference<StartPositions.Fixed>() {});
    }

    /** Spans by their first and last partitions as text. */
    static String spans(List<List<String>> spans) {
        return write(spans);
    }

    static String receipt(StagedPart part) {
        return write(part);
    }

    static StagedPart receipt(String json) {
        return read(json, new TypeReference<StagedPart>() {});
    }

    static void quote(StringBuilder out, String text) {
        out.append('"');
        JsonStringEncoder.getInstance().quoteAsString(text, out);
        out.append('"');
    }

    private static String write(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a record of this program cannot be written as JSON", e);
        }
    }

    private static <T> T read(String json, TypeReference<T> type) {
        try {
            return MAPPER.readValue(json, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a row of this program's bookkeeping cannot be read: " + e.getMessage(), e);
        }
    }
}
