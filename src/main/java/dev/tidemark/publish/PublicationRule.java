package dev.tidemark.publish;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.lateness.LatenessEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of a checkpoint: published, carried forward, nothing to do, or refused.
 *
 * <p>A publication is the effect of exactly the changes before its positions. So each log must be counted from exactly
 * where the last publication left it, through the checkpoints that were carried since, up to where it stands now; the
 * counts must add up; and no log may stand behind what is published.
 */
public final class PublicationRule {
    private final Calendar calendar;
    private final int lookback;
    private final int retain;

    /** The rule of a job with this lookback, and this many partitions before the frontier's that its state remembers. */
    public PublicationRule(Calendar calendar, int lookback, int retain) {
        this.calendar = calendar;
        this.lookback = lookback;
        this.retain = retain;
    }

    /**
     * Decides.
     *
     * @param carried the job's carried checkpoints, of any submission, in any order
     * @param parts all parts of one submission up to a checkpoint that are not published yet, none missing: those of a
     *     completed checkpoint, and those of aborted ones before it, which need not be whole by themselves
     */
    public Decision decide(Standing standing, List<Carried> carried, List<StagedPart> parts) {
        Counts counts = Counts.of(parts);
        String imbalance = counts.imbalance();
        if (imbalance != null) {
            return new Decision.Refuse(imbalance);
        }
        Joined joined = Joined.of(parts);
        if (joined.fault != null) {
            return new Decision.Refuse(joined.fault);
        }
        Map<String, LogCut> logs = joined.logs;
        Map<String, LogCut> published = byLog(standing.logs());
        Chain chain = new Chain(published, logs);
        chain.take(own(carried, parts));
        chain.bridge(carried, parts);

        String gap = chain.gap();
        if (gap != null) {
            return isPassed(published, logs) ? new Decision.NothingNew() : new Decision.Refuse(gap);
        }
        Map<String, LogCut> reached = new TreeMap<>(chain.last);
        if (isSameSubmission(standing, parts)) {
            published.forEach((name, log) -> reached.putIfAbsent(name, finished(log)));
        }
        if (isBehind(published, reached)) {
            return new Decision.CarryForward();
        }
        Reopened reopened = Reopened.of(parts, chain.taken);
        if (reopened.isWithoutTruth(standing, lookback)) {
            return new Decision.Refuse("its state was restored under a larger lookback (" + lookback + ", published is "
                    + standing.lookback()
                    + ") by a submission that never published what that opened again; restore from"
                    + " the savepoint that was taken under the smaller lookback");
        }
        if (counts.read == 0
                && chain.taken.isEmpty()
                && parts.stream().allMatch(PublicationRule::isEmpty)
                && !reopened.hasTruth()) {
            return new Decision.NothingNew();
        }
        for (Carried checkpoint : chain.taken) {
            counts.add(checkpoint.parts());
        }
        return publish(
                standing,
                List.copyOf(chain.taken),
                List.copyOf(reached.values()),
                leastFrontier(parts, reached.values()),
                reopened,
                counts);
    }

    private Decision publish(
            Standing standing, List<Carried> carried, List<LogCut> logs, long least, Reopened reopened, Counts counts) {
        long greatest = logs.stream().mapToLong(LogCut::frontier).max().orElse(LogCut.UNKNOWN);
        long wholeFrom = logs.stream().mapToLong(LogCut::wholeFrom).max().orElse(Standing.NOWHERE);
        Decision.Widening widening = null;
        long changesFrom = standing.closedBefore();
        if (reopened.hasTruth()) {
            long replacedFrom = Math.max(reopened.from, wholeFrom);
            changesFrom = Math.min(changesFrom, replacedFrom);
            widening = new Decision.Widening(replacedFrom, completeFrom(standing), reopened.stood());
        }
        long closedBefore = least == LogCut.UNKNOWN ? changesFrom : Math.max(changesFrom, openFrom(least));
        long completeFrom = greatest == LogCut.UNKNOWN
                ? Standing.NOWHERE
                : Math.max(Math.max(openFrom(greatest), wholeFrom), closedBefore);
        long retainedFrom = least == LogCut.UNKNOWN
                ? standing.retainedFrom()
                : Math.max(standing.retainedFrom(), calendar.plus(calendar.partitionOf(least), -retain));
        long endedBefore = least == LogCut.UNKNOWN
                ? standing.endedBefore()
                : Math.max(standing.endedBefore(), calendar.partitionOf(least));
        return new Decision.Publish(
                carried,
                logs,
                least,
                greatest,
                completeFrom,
                closedBefore,
                endedBefore,
                retainedFrom,
                changesFrom,
                widening,
                counts.sum(),
                counts.read,
                counts.rejected);
    }

    /**
     * What stands, with every partition closed that this lookback closes for it. A job that begins anew with a shorter
     * lookback judges again what is counted; rows of partitions that only the longer one held open would undo what stands. It
     * goes by the least frontier that bounded what stands: a log that nothing was read of yet holds back, and is not in it.
     */
    public Standing closed(Standing standing) {
        if (standing.endedBefore() == Standing.NOWHERE) {
            return standing;
        }
        long closed = calendar.plus(standing.endedBefore(), -lookback);
        return closed <= standing.closedBefore() ? standing : standing.closedBefore(closed);
    }

    /**
     * What stands, with all open that a state opens which was restored under this lookback, a larger one: what will be
     * closed when that is published. (What the state has forgotten it knows itself.)
     */
    public Standing reopened(Standing standing) {
        long open = standing.endedBefore() == Standing.NOWHERE
                ? Standing.NOWHERE
                : calendar.plus(standing.endedBefore(), -lookback);
        return standing.closedBefore(Math.min(standing.closedBefore(), Math.max(open, standing.wholeFrom())));
    }

    /** The first partition of which no log had changes that came too late. */
    private long completeFrom(Standing standing) {
        long greatest =
                standing.logs().stream().mapToLong(LogCut::frontier).max().orElse(LogCut.UNKNOWN);
        return greatest == LogCut.UNKNOWN
                ? standing.closedBefore()
                : Math.max(
                        standing.closedBefore(), calendar.plus(calendar.partitionOf(greatest), -standing.lookback()));
    }

    private long openFrom(long frontier) {
        return calendar.plus(calendar.partitionOf(frontier), -lookback);
    }

    /**
     * Over the active logs; if none is, over all that have an h. Unknown while an operator is not ready or an active log has
     * no h. It is the rule of {@link dev.tidemark.gate.Bounds}, and goes by the newest cut of each operator, because that
     * was said at the same barrier; a log that no operator reads any more is finished.
     */
    private static long leastFrontier(List<StagedPart> parts, Collection<LogCut> reached) {
        Set<String> read = new HashSet<>();
        long leastActive = Long.MAX_VALUE;
        long least = Long.MAX_VALUE;
        for (Cut cut : newestCuts(parts)) {
            if (!cut.ready()) {
                return LogCut.UNKNOWN;
            }
            for (LogCut log : cut.logs()) {
                read.add(log.log());
                if (!log.idle()) {
                    leastActive = Math.min(leastActive, log.frontier());
                }
                if (log.frontier() != LogCut.UNKNOWN) {
                    least = Math.min(least, log.frontier());
                }
            }
        }
        if (leastActive != Long.MAX_VALUE) {
            return leastActive;
        }
        for (LogCut log : reached) {
            if (!read.contains(log.log()) && log.frontier() != LogCut.UNKNOWN) {
                least = Math.min(least, log.frontier());
            }
        }
        return least == Long.MAX_VALUE ? LogCut.UNKNOWN : least;
    }

    /** The newest cuts of each operator: parts can hold those of aborted checkpoints too. */
    private static List<Cut> newestCuts(List<StagedPart> parts) {
        Map<Integer, Newest> newest = new TreeMap<>();
        for (StagedPart part : parts) {
            for (Cut cut : part.cuts()) {
                newest.computeIfAbsent(cut.sender(), sender -> new Newest()).take(part.checkpoint(), cut);
            }
        }
        return newest.values().stream().flatMap(it -> it.cuts.stream()).toList();
    }

    /** The cuts of one operator that were said last. Cuts of one barrier can lie in parts of different checkpoints. */
    private static final class Newest {
        private final List<Cut> cuts = new ArrayList<>();
        private long barrier = Long.MIN_VALUE;
        private long checkpoint = Long.MIN_VALUE;

        private void take(long stagedFor, Cut cut) {
            int order = cut.barrier() == barrier
                    ? Long.compare(stagedFor, checkpoint)
                    : Long.compare(cut.barrier(), barrier);
            if (order > 0) {
                cuts.clear();
                barrier = cut.barrier();
                checkpoint = stagedFor;
            }
            if (order >= 0) {
                cuts.add(cut);
            }
        }
    }

    /**
     * A log that this submission has published and whose reader no longer speaks of it has been read to its end: it
     * stands where it stood.
     */
    private static boolean isSameSubmission(Standing standing, List<StagedPart> parts) {
        return !parts.isEmpty() && parts.get(0).submission().equals(standing.submission());
    }

    private static LogCut finished(LogCut log) {
        return new LogCut(
                log.log(),
                log.split(),
                log.nextOffset(),
                log.split(),
                log.nextOffset(),
                log.frontier(),
                log.wholeFrom(),
                false,
                true);
    }

    /** A log that another submission published and this one has not begun again stands at its beginning. */
    private static boolean isBehind(Map<String, LogCut> published, Map<String, LogCut> logs) {
        for (LogCut before : published.values()) {
            LogCut now = logs.get(before.log());
            if (now == null || now.comparePositionTo(before) < 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether all that was counted lies before what is published: so it is with a checkpoint which a submission was
     * restored from after others had gone on from there.
     */
    private static boolean isPassed(Map<String, LogCut> published, Map<String, LogCut> logs) {
        for (LogCut log : logs.values()) {
            LogCut now = published.get(log.log());
            if (now == null || Chain.end(log).comparePositionTo(now) > 0) {
                return false;
            }
        }
        return !logs.isEmpty();
    }

    /** What operators said of a larger lookback, over all parts of a publication. */
    private static final class Reopened {
        private final Map<String, LogCut> stood = new TreeMap<>();
        private long from = Reopening.UNSAID;
        private boolean isSaid;

        private static Reopened of(List<StagedPart> parts, Collection<Carried> carried) {
            Reopened reopened = new Reopened();
            carried.forEach(checkpoint -> reopened.add(checkpoint.parts()));
            reopened.add(parts);
            return reopened;
        }

        private void add(List<StagedPart> parts) {
            for (StagedPart part : parts) {
                for (Reopening reopening : part.reopenings()) {
                    isSaid = true;
                    from = hasTruth() && reopening.from() != Reopening.UNSAID
                            ? Math.max(from, reopening.from())
                            : Math.min(from, reopening.from());
                    reopening.stood().forEach(log -> stood.putIfAbsent(log.log(), log));
                }
            }
        }

        private boolean hasTruth() {
            return from != Reopening.UNSAID;
        }

        /** Whether the truth is lost: the state has given it out already, and it was not published. */
        private boolean isWithoutTruth(Standing standing, int lookback) {
            return isSaid && !hasTruth() && standing.lookback() < lookback;
        }

        private List<LogCut> stood() {
            return List.copyOf(stood.values());
        }
    }

    private static boolean isEmpty(StagedPart part) {
        return part.cells() == 0 && part.late() == 0 && part.rejected() == 0;
    }

    /** The carried checkpoints of the parts' own submission before theirs, newest first. */
    private static List<Carried> own(List<Carried> carried, List<StagedPart> parts) {
        if (parts.isEmpty()) {
            return List.of();
        }
        String submission = parts.get(0).submission();
        long earliest = parts.stream().mapToLong(StagedPart::checkpoint).min().orElse(Long.MAX_VALUE);
        return carried.stream()
                .filter(it -> it.submission().equals(submission) && it.checkpoint() < earliest)
                .sorted(Comparator.comparingLong(Carried::checkpoint).reversed())
                .toList();
    }

    private static Map<String, LogCut> byLog(List<LogCut> logs) {
        Map<String, LogCut> result = new LinkedHashMap<>();
        logs.forEach(log -> result.put(log.log(), log));
        return result;
    }

    private static String shown(LogCut log) {
        return log.log().isEmpty() ? "of " + log.split() : log.log();
    }

    /**
     * Joins the cuts of each log over successive checkpoints into one. A checkpoint can hold more than one cut of a log:
     * those of aborted ones, whose barrier has passed the reader and not the stage, come in with the next.
     */
    private static final class Joined {
        private final Map<String, LogCut> logs = new TreeMap<>();
        private @Nullable String fault;

        private static Joined of(List<StagedPart> parts) {
            Joined joined = new Joined();
            parts.stream()
                    .flatMap(part -> part.cuts().stream())
                    .flatMap(cut -> cut.logs().stream())
                    .sorted(Joined::inOrderOfReading)
                    .forEach(joined::take);
            return joined;
        }

        private static int inOrderOfReading(LogCut one, LogCut other) {
            int from = LogCut.comparePositions(
                    one.countedSplit(), one.countedOffset(), other.countedSplit(), other.countedOffset());
            return from != 0 ? from : one.comparePositionTo(other);
        }

        private void take(LogCut log) {
            LogCut earlier = logs.get(log.log());
            if (earlier == null) {
                logs.put(log.log(), log);
            } else if (!log.countsFrom(Chain.end(earlier))) {
                fault = log.countsFrom(counted(earlier))
                        ? "the log " + shown(log) + " was read by two readers at once"
                        : Chain.gapBetween(Chain.end(earlier), log);
            } else {
                logs.put(
                        log.log(),
                        new LogCut(
                                log.log(),
                                log.split(),
                                log.nextOffset(),
                                earlier.countedSplit(),
                                earlier.countedOffset(),
                                log.frontier(),
                                log.wholeFrom(),
                                earlier.begins(),
                                log.idle()));
            }
        }

        /** Where a cut begins to count. */
        private static LogCut counted(LogCut log) {
            return new LogCut(
                    log.log(),
                    log.countedSplit(),
                    log.countedOffset(),
                    log.countedSplit(),
                    log.countedOffset(),
                    log.frontier());
        }
    }

    /** Follows the counted ranges of all logs backwards from a checkpoint to what is published. */
    private static final class Chain {
        private final Map<String, LogCut> published;
        /** The earliest cut reached of each log. */
        private final Map<String, LogCut> first;

        /** The latest cut of each log. */
        private final Map<String, LogCut> last;

        private final Deque<Carried> taken = new ArrayDeque<>();
        private @Nullable String gap;

        private Chain(Map<String, LogCut> published, Map<String, LogCut> logs) {
            this.published = published;
            this.first = new TreeMap<>(logs);
            this.last = new TreeMap<>(logs);
        }

        /** Takes checkpoints, newest first. */
        private void take(List<Carried> checkpoints) {
            for (Carried checkpoint : checkpoints) {
                taken.addFirst(checkpoint);
                Joined joined = Joined.of(checkpoint.parts());
                joined.logs.values().forEach(this::prepend);
                gap = gap == null ? joined.fault : gap;
            }
        }

        private void prepend(LogCut earlier) {
            last.putIfAbsent(earlier.log(), earlier);
            LogCut later = first.put(earlier.log(), earlier);
            if (later != null && !later.countsFrom(end(earlier)) && gap == null) {
                gap = gapBetween(end(earlier), later);
            }
        }

        /**
         * A submission that was restored from a checkpoint which an older one had carried counts on from there: the
         * older one's carried checkpoints up to that one belong to it.
         */
        private void bridge(List<Carried> carried, List<StagedPart> parts) {
            List<Carried> others = carried.stream()
                    .filter(it -> parts.isEmpty()
                            || !it.submission().equals(parts.get(0).submission()))
                    .sorted(Comparator.comparingLong(Carried::checkpoint).reversed())
                    .toList();
            for (Carried other : others) {
                if (!reachesPublished() && leadsTo(other)) {
                    take(others.stream()
                            .filter(it ->
                                    it.submission().equals(other.submission()) && it.checkpoint() <= other.checkpoint())
                            .toList());
                }
            }
        }

        private boolean leadsTo(Carried earlier) {
            Collection<LogCut> logs = Joined.of(earlier.parts()).logs.values();
            for (LogCut log : logs) {
                LogCut later = first.get(log.log());
                if (later != null && !later.countsFrom(end(log))) {
                    return false;
                }
            }
            return !logs.isEmpty();
        }

        private boolean reachesPublished() {
            return gap() == null;
        }

        /** Why the ranges do not lead from what is published to the checkpoint; null if they do. */
        private @Nullable String gap() {
            if (gap != null) {
                return gap;
            }
            for (LogCut log : first.values()) {
                LogCut before = published.get(log.log());
                if (before == null) {
                    if (log.comparePositionTo(end(log)) < 0) {
                        return "the log " + shown(log) + " stands at " + position(log.split(), log.nextOffset())
                                + ", before the first change that it counted, "
                                + position(log.countedSplit(), log.countedOffset());
                    }
                } else {
                    String between = gapBetween(before, log);
                    if (between != null) {
                        return between;
                    }
                }
            }
            return null;
        }

        private static @Nullable String gapBetween(LogCut before, LogCut log) {
            if (log.countsFrom(before)) {
                return null;
            }
            int order = LogCut.comparePositions(
                    log.countedSplit(), log.countedOffset(), before.split(), before.nextOffset());
            if (order > 0 && log.begins()) {
                return log.comparePositionTo(end(log)) < 0 ? wentBack(before, log) : null;
            }
            if (order > 0) {
                return "changes of the log " + shown(log) + " are missing: published are those before "
                        + position(before.split(), before.nextOffset()) + ", and the checkpoint counts from "
                        + position(log.countedSplit(), log.countedOffset())
                        + "; restore from a savepoint taken at or before what is published, or start without state";
            }
            return wentBack(before, log);
        }

        private static String wentBack(LogCut before, LogCut log) {
            return "the log " + shown(log) + " went back: published are its changes before "
                    + position(before.split(), before.nextOffset()) + ", and the checkpoint counts from "
                    + position(log.countedSplit(), log.countedOffset()) + " to "
                    + position(log.split(), log.nextOffset()) + "; they would count twice";
        }

        /** Where a cut's counted range ends: at the cut, or where it would have begun while it is behind that. */
        private static LogCut end(LogCut log) {
            if (LogCut.comparePositions(log.countedSplit(), log.countedOffset(), log.split(), log.nextOffset()) <= 0) {
                return log;
            }
            return new LogCut(
                    log.log(),
                    log.countedSplit(),
                    log.countedOffset(),
                    log.countedSplit(),
                    log.countedOffset(),
                    log.frontier());
        }

        private static String position(String split, long offset) {
            return split + " @ " + offset;
        }
    }

    /** Sums over parts. */
    private static final class Counts {
        private long read;
        private long rejected;
        private long applied;
        private long superseded;
        private long late;
        private long split;
        private long maxLatenessMillis = -1;
        private long halfWindowExceeded;
        private final List<LatenessEntry> lateness = new ArrayList<>();

        private static Counts of(List<StagedPart> parts) {
            Counts counts = new Counts();
            counts.add(parts);
            return counts;
        }

        private void add(List<StagedPart> parts) {
            for (StagedPart part : parts) {
                for (Cut cut : part.cuts()) {
                    read += cut.read();
                    rejected += cut.rejected();
                }
                for (Tally tally : part.tallies()) {
                    applied += tally.applied();
                    superseded += tally.superseded();
                    late += tally.late();
                    split += tally.split();
                    maxLatenessMillis = Math.max(maxLatenessMillis, tally.maxLatenessMillis());
                    halfWindowExceeded += tally.halfWindowExceeded();
                    lateness.addAll(tally.lateness());
                }
            }
        }

        private Tally sum() {
            return new Tally(
                    applied, superseded, late, split, maxLatenessMillis, halfWindowExceeded, List.copyOf(lateness));
        }

        private @Nullable String imbalance() {
            long accounted = applied + superseded + late + split + rejected;
            if (accounted == read) {
                return null;
            }
            return "the counts do not add up: " + read + " changes were read, but " + accounted + " accounted for ("
                    + applied + " applied, " + superseded + " superseded, " + late + " late, " + split + " split, "
                    + rejected + " rejected); nothing is published, the job goes on from its last checkpoint";
        }
    }
}
