package dev.tidemark.job.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.ColumnKind;
import dev.tidemark.job.Field;
import dev.tidemark.job.IdentityMethod;
import dev.tidemark.job.IdentityPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.job.JobSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The block {@code identity}, the columns that ask for it, and targets without a key. */
class IdentityJobFilesTest {
    @TempDir
    Path folder;

    private JobText least;

    @BeforeEach
    void least() {
        least = JobText.least(folder);
    }

    /** A job that resolves identities. */
    private JobText identities(String block) {
        return least.with("  key: product_id", "  key: []")
                .column("dau: { identities: forward_only }\n    known: { identifiedEvents: connected_components }")
                .after("  lookback: 3", "identity: " + block);
    }

    @Test
    void blockAndColumnsAreRead() {
        JobPlan plan = identities("{ device: order_id, user: status, platform: op, sessionGap: 10m }")
                .plan();

        IdentityPlan identity = Objects.requireNonNull(plan.identity());
        assertThat(identity.fields()).extracting(Field::name).containsExactly("order_id", "status", "op");
        assertThat(identity.sessionGap()).isEqualTo(600_000_000L);
        assertThat(plan.target().key()).isEmpty();
        assertThat(plan.rowFields()).extracting(Field::name).containsExactly("order_id", "status", "op");
        ValueColumn dau = plan.target().columns().get(0);
        assertThat(dau.function()).isEqualTo(Aggregate.IDENTITIES);
        assertThat(dau.method()).isEqualTo(IdentityMethod.FORWARD_ONLY);
        assertThat(dau.kind()).isEqualTo(ColumnKind.LOCAL);
        assertThat(dau.lookAhead()).isEqualTo(1);
        assertThat(plan.target().columns().get(1).kind()).isEqualTo(ColumnKind.GLOBAL);
        assertThat(plan.withLookback(5).identity()).isEqualTo(identity);
        assertThat(plan.overHistory().identity()).isEqualTo(identity);
    }

    @Test
    void thirtyMinutesAreTheGapIfNothingIsSaidAndNoPlatform() {
        IdentityPlan identity = Objects.requireNonNull(
                identities("{ device: order_id, user: status }").plan().identity());

        assertThat(identity.sessionGap()).isEqualTo(1_800_000_000L);
        assertThat(identity.platform()).isNull();
    }

    @Test
    void stateThatWasWrittenUnderAnotherGapIsNotGoneOnWith() {
        JobPlan plan = identities("{ device: order_id, user: status }").plan();
        JobPlan other = identities("{ device: order_id, user: status, sessionGap: 10m }")
                .plan();

        assertThat(JobSpec.fingerprint(other)).isNotEqualTo(JobSpec.fingerprint(plan));
        assertThat(JobSpec.json(other)).contains("\"sessionGapMicros\":600000000");
    }

    @Test
    void aTargetWithoutKeyHasOneRowAPartition() {
        assertThat(least.with("  key: product_id", "  key: []").plan().target().key())
                .isEmpty();
    }

    @Test
    void allThatIsWrongIsToldAtOnce() {
        assertThat(identities("{ device: quantity, platform: nothing, sessionGap: 0s }")
                        .with("grain: day", "grain: week")
                        .with("key: []", "key: [product_id]\n  retroactive: true")
                        .with("  lookback: 3", "  lookback: 0")
                        .with("known: { identifiedEvents: connected_components }", "known: { identifiedEvents: best }")
                        .problems())
                .containsExactlyInAnyOrder(
                        "15: partition.grain: identities are counted by the day, not by the week; expected day where columns are"
                                + " by identities or identifiedEvents: dau, known",
                        "18: identity.user: is missing; expected a text field",
                        "18: identity.device: field 'quantity' is an int, not text; derive a text of it, fields: { quantity_text:"
                                + " cast(quantity as text) }, and name that",
                        "18: identity.platform: field 'nothing' is not in the schema; fields: order_id, line_number,"
                                + " product_id, quantity, units, unit_price, exact, net, weight, score, removed, op, status, photo,"
                                + " digest, shipped_on, shipped_at, ordered_at, updated_at, ingested_at, traced_at, local_at,"
                                + " epoch_millis, trace, tags, labels, address, mixed, day, xmin",
                        "18: identity.sessionGap: is not longer than nothing; expected a duration such as 30m, at most 1d",
                        "21: target.key: identities are counted by the day, not by product_id; expected [] where columns are by"
                                + " identities or identifiedEvents: dau, known",
                        "22: target.retroactive: is true, but no column is global; it is for columns that depend on other"
                                + " partitions: leave it out",
                        "22: target.retroactive: is true, but with a lookback of 0 no partition stays open for what comes"
                                + " later; leave it out, or let partitions stay open",
                        "25: target.columns.known.identifiedEvents: 'best' is no method; expected raw, forward_only,"
                                + " backward_fill or connected_components");
    }

    @Test
    void blockAndColumnsWantEachOther() {
        assertThat(least.after("  lookback: 3", "identity: { device: order_id, user: status }")
                        .problems())
                .containsExactly(
                        "18: identity: no column asks for it; add columns by identities or identifiedEvents, or leave"
                                + " the block out");
        assertThat(least.with("  key: product_id", "  key: []")
                        .column("dau: { identities: raw }")
                        .problems())
                .containsExactly("identity: is missing; the columns dau need device and user");
    }

    @Test
    void deviceAndUserAreTwoFieldsAndAGapIsNoMoreThanADay() {
        assertThat(identities("{ device: status, user: status, sessionGap: 25h }")
                        .problems())
                .containsExactly(
                        "18: identity.user: field 'status' is the device too; expected the field of the user",
                        "18: identity.sessionGap: is longer than the day that a session is looked at ahead; expected a duration"
                                + " such as 30m, at most 1d");
    }

    @Test
    void identityColumnsSeeAllEventsInNoOrderAndStandBesideNoRunningOnes() {
        assertThat(identities("{ device: order_id, user: status }")
                        .with(
                                "dau: { identities: forward_only }",
                                "dau: { identities: raw, where: status = 'a', order: status }\n    all: { runningCount: {} }")
                        .problems())
                .containsExactlyInAnyOrder(
                        "23: target.columns.dau.where: identities sees all events; leave it out; the where of the job leaves"
                                + " records out for all columns",
                        "23: target.columns.dau.order: identities has no order; only first and latest have one",
                        "22: target.columns: running columns and columns by identities do not stand in one target; give all a"
                                + " target, and so a job, of their own");
    }

    @Test
    void theJobOfTheExampleSaysWhatItsColumnsDependOn() throws Exception {
        String resolved = JobFiles.resolve(Path.of("jobs/daily-active-users.yaml"), Map.of())
                .text();

        assertThat(resolved)
                .contains(
                        "dau_raw                                 bigint                    local, identities by raw\n",
                        "local with a look-ahead of 1 day, identities by forward_only\n",
                        "global, identifiedEvents by connected_components\n",
                        "sessionGap: 30m\n",
                        "#   primary key (day)\n");
        Path file = Files.writeString(
                folder.resolve("resolved.yaml"),
                resolved.replace(
                        "../schemas", Path.of("schemas").toAbsolutePath().toString()));
        assertThat(JobFiles.resolve(file, Map.of()).plan().identity())
                .isEqualTo(JobFiles.read(Path.of("jobs/daily-active-users.yaml"), Map.of())
                        .identity());
    }
}
