package dev.tidemark.it;

import static org.assertj.core.api.Assertions.fail;

import dev.tidemark.kit.Agreement;
import dev.tidemark.kit.Course;
import dev.tidemark.kit.Histories;
import dev.tidemark.kit.History;
import dev.tidemark.kit.MemoryWarehouse;
import dev.tidemark.kit.MemoryWarehouse.Publication;
import dev.tidemark.kit.Profile;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Generated histories through the whole job, under checkpoints, crashes, restores and rescaling drawn at random. */
class HarnessHistoriesTest {
    private static final long SEEDS = Long.getLong("tidemark.harness.seeds", 50);
    private static final int HISTORIES_A_SEED = 10;

    static LongStream seeds() {
        return LongStream.range(0, SEEDS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyPublicationAgreesWithTheOracle(long seed) {
        for (long i = seed * HISTORIES_A_SEED; i < (seed + 1) * HISTORIES_A_SEED; i++) {
            agrees(i % 5 == 4 ? Histories.random(i, Profile.forgetful()) : Histories.random(i), i);
        }
    }

    private static void agrees(History history, long seed) {
        Course course = Course.random(seed, history.records().size());
        if (difference(course, history) != null) {
            Course shorter = course.shrink(candidate -> difference(candidate, history) != null);
            History smallest = Histories.shrink(history, candidate -> difference(shorter, candidate) != null);
            Course shortest = shorter.shrink(candidate -> difference(candidate, smallest) != null);
            fail(difference(shortest, smallest) + "\nin the course " + shortest + "\nover the smallest part, of "
                    + smallest);
        }
    }

    private static @Nullable String difference(Course course, History history) {
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan())) {
            course.run("run", history, warehouse);
            List<Publication> publications = warehouse.publications();
            Agreement agreement = new Agreement(history);
            String difference = agreement.difference(publications);
            if (difference != null) {
                return difference;
            }
            int published = publications.isEmpty()
                    ? 0
                    : agreement.position(
                            publications.get(publications.size() - 1).logs());
            int records = history.records().size();
            return published == records
                    ? null
                    : "of " + records + " records, only " + published + " are published at the end";
        } catch (Exception failure) {
            return told(failure);
        }
    }

    /** The failure and its causes, each with the project's own frames. */
    private static String told(Throwable failure) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            text.append(cause).append('\n');
            Arrays.stream(cause.getStackTrace())
                    .filter(frame -> frame.getClassName().startsWith("dev.tidemark"))
                    .limit(8)
                    .forEach(frame -> text.append("    at ").append(frame).append('\n'));
        }
        return text.toString();
    }
}
