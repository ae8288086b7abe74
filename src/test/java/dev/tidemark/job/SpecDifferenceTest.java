package dev.tidemark.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What two definitions of a job say otherwise, and what of it the state cannot follow. */
class SpecDifferenceTest {

    @Test
    void eachValueIsNamedByItsPath() {
        assertThat(between(
                        "{\"partition\": {\"zone\": \"UTC\", \"lookback\": 1}, \"where\": null}",
                        "{\"partition\": {\"zone\": \"Asia/Kathmandu\", \"lookback\": 1}, \"where\": \"a > 1\"}"))
                .containsExactly("partition.zone: \"UTC\" is now \"Asia/Kathmandu\"", "where: null is now \"a > 1\"");
    }

    @Test
    void columnsAreNamedAndNotCounted() {
        assertThat(between(
                        "{\"target\": {\"columns\": [{\"name\": \"a\", \"type\": \"int\"}, {\"name\": \"b\"}]}}",
                        "{\"target\": {\"columns\": [{\"name\": \"a\", \"type\": \"bigint\"}, {\"name\": \"c\"}]}}"))
                .containsExactly(
                        "target.columns.a.type: \"int\" is now \"bigint\"",
                        "target.columns.b: {\"name\":\"b\"} is now nothing",
                        "target.columns.c: nothing is now {\"name\":\"c\"}");
    }

    @Test
    void anotherOrderIsADifference() {
        assertThat(between(
                        "{\"changes\": {\"id\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}}",
                        "{\"changes\": {\"id\": [{\"name\": \"b\"}, {\"name\": \"a\"}]}}"))
                .containsExactly("changes.id: in the order a, b is now in the order b, a");
    }

    @Test
    void aListThatBecomesEmptyIsShownWhole() {
        assertThat(between("{\"changes\": {\"version\": [{\"name\": \"a\"}]}}", "{\"changes\": {\"version\": []}}"))
                .containsExactly("changes.version: [{\"name\":\"a\"}] is now []");
    }

    @Test
    void theStateFollowsWhatActsOnLaterChangesOnly() {
        assertThat(SpecDifference.ofTheState(
                        "{\"partition\": {\"lookback\": 1, \"retain\": 2}, \"time\": {\"maxAdvance\": 1},"
                                + " \"source\": {\"path\": \"/a\", \"idleTimeoutMillis\": 1, \"watchMillis\": 0},"
                                + " \"target\": {\"revisions\": true}}",
                        "{\"partition\": {\"lookback\": 2, \"retain\": 4}, \"time\": {\"maxAdvance\": 2},"
                                + " \"source\": {\"path\": \"/b\", \"idleTimeoutMillis\": 2, \"watchMillis\": 9},"
                                + " \"target\": {\"revisions\": false}}"))
                .isEmpty();
        assertThat(SpecDifference.ofTheState(
                        "{\"source\": {\"kafka\": {\"topic\": \"a\"}}}",
                        "{\"source\": {\"kafka\": {\"topic\": \"b\"}}}"))
                .isEmpty();
    }

    @Test
    void aTopicInThePlaceOfFilesIsAnotherSource() {
        assertThat(SpecDifference.ofTheState(
                        "{\"source\": {\"path\": \"/a\", \"logs\": \"source\"}}",
                        "{\"source\": {\"kafka\": {\"topic\": \"b\"}}}"))
                .extracting(SpecDifference::path)
                .containsExactly("source.kafka", "source.logs");
    }

    private static List<String> between(String before, String now) {
        return SpecDifference.between(before, now).stream()
                .map(SpecDifference::text)
                .toList();
    }
}
