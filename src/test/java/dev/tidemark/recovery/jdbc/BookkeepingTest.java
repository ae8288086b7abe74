package dev.tidemark.recovery.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.FormatMethod;
import dev.tidemark.calendar.Calendar;
import dev.tidemark.database.Connections;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobSpec;
import dev.tidemark.kit.Plans;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.publish.Standing;
import dev.tidemark.publish.jdbc.Initialization;
import dev.tidemark.recovery.FlinkJobs;
import dev.tidemark.recovery.RecoveryException;
import dev.tidemark.recovery.StateReach;
import dev.tidemark.recovery.StateReach.NotHeld;
import dev.tidemark.recovery.Widening;
import dev.tidemark.recovery.Widening.Arguments;
import dev.tidemark.recovery.Widening.Origin;
import dev.tidemark.recovery.Widening.Step;
import dev.tidemark.recovery.Widening.Turn;
import dev.tidemark.recovery.Widenings;
import dev.tidemark.recovery.WriterWatch;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a widening reads of the warehouse, and where it writes how far it has come. */
class BookkeepingTest {
    private static final Calendar DAYS = new Calendar(Grain.DAY, ZoneId.of("UTC"));
    private static final AtomicInteger JOBS = new AtomicInteger();
    private static final FlinkJobs.Settings SETTINGS = new FlinkJobs.Settings(3, 10_000, 600_000, 0, 5, true, null);

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    private final String job = "job-" + JOBS.incrementAndGet();

    @BeforeEach
    void prepare() {
        JobPlan products = Plans.products().plan();
        JobPlan plan = new JobPlan(
                job,
                products.source(),
                products.changes(),
                products.time(),
                products.partition(),
                new JobPlan.TargetPlan(
                        "books",
                        job.replace('-', '_'),
                        products.target().key(),
                        products.target().columns(),
                        false));
        new Initialization(POSTGRES.connections(), plan).run(JobSpec.json(plan), null);
    }

    private Widenings widenings() {
        return new JdbcWidenings(job, POSTGRES.connections());
    }

    private Widening begun() {
        return Widening.checked(UUID.randomUUID(), job, new Arguments(5, true), new Origin(2, 41, "flink-1", SETTINGS));
    }

    /** Far along, with all that can be recorded. */
    private static Widening late(Widening begun) {
        return new Widening(
                begun.operation(),
                begun.job(),
                begun.arguments(),
                Step.STOPPED_AGAIN,
                begun.origin(),
                new Turn("trigger-1", "file:/savepoint \"1\"", "flink-2", "submission-2"),
                57L,
                new Turn("trigger-2", "file:/savepoint-2", null, null),
                "not \\ now");
    }

    @FormatMethod
    private void execute(String sql, Object... values) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql.formatted(values));
        }
    }

    // ------------------------------------------------------------------------------------------------- operations

    @Test
    void whatIsRecordedIsReadAgain() {
        Widening begun = begun();
        try (Widenings store = widenings();
                Widenings other = widenings()) {
            assertThat(store.open()).isNull();
            store.begin(begun);
            assertThat(other.open()).isEqualTo(begun);
            store.record(begun, late(begun));
            assertThat(other.open()).isEqualTo(late(begun));
            store.failed(late(begun), "out of luck");
            assertThat(other.open()).isEqualTo(late(begun));
            assertThat(other.lastDone()).isNull();
        }
    }

    @Test
    void oneThatIsDoneIsClosedAndRemembered() {
        Widening begun = begun();
        Widening done = new Widening(
                begun.operation(),
                job,
                begun.arguments(),
                Step.DONE,
                begun.origin(),
                begun.wider(),
                57L,
                begun.narrower(),
                null);
        try (Widenings store = widenings()) {
            store.begin(begun);
            store.record(begun, done);
            assertThat(store.open()).isNull();
            assertThat(store.lastDone()).isEqualTo(done);
            Widening next = begun();
            store.begin(next);
            store.close(next, "abandoned");
            assertThat(store.open()).isNull();
            assertThat(store.lastDone()).isEqualTo(done);
        }
    }

    @Test
    void ofTwoProcessesOnlyOneTakesAStep() {
        Widening begun = begun();
        try (Widenings one = widenings();
                Widenings other = widenings()) {
            one.begin(begun);
            one.record(begun, late(begun));
            assertThatThrownBy(() -> other.record(begun, begun))
                    .isInstanceOf(RecoveryException.class)
                    .hasMessageContaining("another process goes on with this operation");
            assertThat(one.open()).isEqualTo(late(begun));
            assertThatThrownBy(() -> other.begin(begun()))
                    .isInstanceOf(RecoveryException.class)
                    .hasMessageContaining("another operation of the job");
        }
    }

    @Test
    void aRecordWhoseCommitWasNotHeardOfIsTakenForWritten() {
        Widening begun = begun();
        try (Widenings store = widenings()) {
            store.begin(begun);
            store.begin(begun);
            store.record(begun, late(begun));
            store.record(begun, late(begun));
            assertThat(store.open()).isEqualTo(late(begun));
            store.close(late(begun), "abandoned");
            store.close(late(begun), "abandoned");
            assertThat(store.open()).isNull();
        }
    }

    @Test
    void anOpenOperationOfAnotherKindIsSaid() throws SQLException {
        execute("""
                insert into tidemark.operations (operation, job, kind, step, arguments, started_at, updated_at)
                values (gen_random_uuid(), '%s', 'turn', 'begun', '{}', now(), now())""", job);
        try (Widenings store = widenings()) {
            assertThatThrownBy(store::open)
                    .isInstanceOf(RecoveryException.class)
                    .hasMessageContaining("an operation of the job " + job + " is open: turn, begun at");
        }
    }

    // ----------------------------------------------------------------------------------------------------- reach

    private void publication(int number, String kind, int lookback, @Nullable String closedBefore, String logs)
            throws SQLException {
        execute(
                """
                insert into tidemark.publications
                    (job, publication, submission, checkpoint, kind, lookback, closed_before, ended_before, complete_from,
                     retained_from, logs, started_at, published_at)
                values ('%s', %d, 'submission-%d', %d, '%s', %d, %s, '2026-09-20', '2026-09-19', '2026-09-10',
                        '%s', now(), now())""",
                job,
                number,
                number,
                number,
                kind,
                lookback,
                closedBefore == null ? "null" : "'" + closedBefore + "'",
                logs);
    }

    private void late(int offset, String partition, String reason, boolean withheld, String status)
            throws SQLException {
        execute("""
                insert into tidemark.late_ledger
                    (job, split, "offset", half, op, partition, reason, withheld, status, publication, recorded_at)
                values ('%s', 's', %d, 'whole', 'upsert', %s, '%s', %s, '%s', 1, now())""", job, offset, "'" + partition + "'", reason, withheld, status);
    }

    private StateReach.Reader reader() {
        return new JdbcStateReach(job, DAYS, POSTGRES.connections());
    }

    @Test
    void theLastPublicationOfTheStreamSaysHowFarTheStateReaches() throws SQLException {
        publication(1, "stream", 2, "2026-09-17", "{}");
        publication(
                2,
                "widen",
                3,
                null,
                "{\"a\": {\"split\": \"a\", \"offset\": 1, \"frontier\": null, \"wholeFrom\": 20000}, \"b\": {\"split\": \"b\", \"offset\": 1}}");
        publication(3, "rebuild", 9, "2026-09-18", "{}");
        try (StateReach.Reader reader = reader()) {
            assertThat(reader.reach())
                    .isEqualTo(new StateReach(
                            2,
                            3,
                            Standing.NOWHERE,
                            DAYS.parse("2026-09-20"),
                            DAYS.parse("2026-09-19"),
                            DAYS.parse("2026-09-10"),
                            Map.of("a", 20_000L)));
        }
    }

    @Test
    void aJobThatHasPublishedNothingHasNoReach() {
        try (StateReach.Reader reader = reader()) {
            assertThatThrownBy(reader::reach)
                    .isInstanceOf(RecoveryException.class)
                    .hasMessageContaining("has published nothing yet");
        }
    }

    @Test
    void changesThatTheStateDoesNotHoldAreFoundWhateverBecameOfThem() throws SQLException {
        late(1, "2026-09-14", "state-expired", false, "open");
        late(2, "2026-09-15", "state-expired", false, "open");
        late(3, "2026-09-15", "state-expired", false, "incorporated");
        late(4, "2026-09-15", "before-start", false, "dismissed");
        late(5, "2026-09-15", "outside-window", true, "open");
        late(6, "2026-09-16", "outside-window", true, "open");
        late(7, "2026-09-17", "state-expired", false, "open");
        try (StateReach.Reader reader = reader()) {
            assertThat(reader.notHeld("2026-09-15", "2026-09-17"))
                    .containsExactly(
                            new NotHeld("2026-09-15", "before-start", 1),
                            new NotHeld("2026-09-15", "state-expired", 2));
            assertThat(reader.openRows("2026-09-15", "2026-09-17")).isEqualTo(3);
        }
    }

    // ---------------------------------------------------------------------------------------------------- writer

    @Test
    void aSubmissionIsAliveWhenItIsTheNewestAndHasDealtWithACheckpoint() throws SQLException {
        Connections connections = POSTGRES.connections();
        try (WriterWatch watch = new JdbcWriterWatch(job, connections)) {
            assertThat(watch.newest()).isEqualTo(new WriterWatch.Writer(null, null));
            heartbeat("1 hour");
            assertThat(watch.newest()).isEqualTo(new WriterWatch.Writer("s", "f"));
            assertThat(watch.isAlive("s")).isFalse();
            heartbeat("0 hours");
            assertThat(watch.isAlive("s")).isTrue();
            assertThat(watch.isAlive("older")).isFalse();
        }
    }

    /** A submission that began now, and whose job gave its last sign of life so long ago. */
    private void heartbeat(String ago) throws SQLException {
        execute("""
                update tidemark.jobs set submission = 's', flink_job_id = 'f', started_at = now(),
                    heartbeat_at = now() - interval '%s'
                where job = '%s'""", ago, job);
    }

    @Test
    void thePublicationThatWidensIsThatOfTheSubmission() throws SQLException {
        publication(1, "stream", 2, "2026-09-17", "{}");
        publication(2, "widen", 3, "2026-09-16", "{}");
        try (WriterWatch watch = new JdbcWriterWatch(job, POSTGRES.connections())) {
            assertThat(watch.widening("submission-1")).isNull();
            assertThat(watch.widening("submission-2")).isEqualTo(2);
        }
    }
}
