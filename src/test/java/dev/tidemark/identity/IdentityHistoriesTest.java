package dev.tidemark.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.IdentityMethod;
import dev.tidemark.job.IdentityPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.kit.IdentityOracle;
import dev.tidemark.kit.IdentityOracle.Event;
import dev.tidemark.kit.Plans;
import dev.tidemark.ledger.Half;
import dev.tidemark.ledger.LateChange;
import dev.tidemark.ledger.LateReason;
import dev.tidemark.publish.CellTruth;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Generated histories of devices: events come and go, days close and are forgotten, and everything is written and read in
 * between. At each barrier the rows that are sent are what the oracle makes of the events that are there.
 */
class IdentityHistoriesTest {
    private static final long MINUTE = 60_000_000L;
    private static final long DAY = 24 * 60 * MINUTE;
    private static final long GAP = 30 * MINUTE;
    private static final int LOOKBACK = 2;
    private static final int RETAIN = 3;
    private static final int HISTORIES = Integer.getInteger("tidemark.identities", 60);
    private static final Field DEVICE = new Field("device", FieldType.of(Kind.STRING));
    private static final Field USER = new Field("user", FieldType.of(Kind.STRING));

    static IntStream seeds() {
        return IntStream.range(0, HISTORIES);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void rowsAreWhatTheEventsSayWhateverWasThereBefore(int seed) throws IOException {
        Run run = new Run(seed);
        for (int barrier = 0; barrier < 12; barrier++) {
            run.change();
            run.barrier();
        }
    }

    static JobPlan plan() {
        JobPlan plan = Plans.products().plan();
        List<ValueColumn> columns = List.of(
                new ValueColumn("events", Aggregate.COUNT, null, List.of(), FieldType.of(Kind.LONG)),
                ValueColumn.ofIdentities("a", Aggregate.IDENTITIES, IdentityMethod.RAW),
                ValueColumn.ofIdentities("b", Aggregate.IDENTITIES, IdentityMethod.FORWARD_ONLY),
                ValueColumn.ofIdentities("c", Aggregate.IDENTIFIED_EVENTS, IdentityMethod.RAW),
                ValueColumn.ofIdentities("d", Aggregate.IDENTIFIED_EVENTS, IdentityMethod.FORWARD_ONLY),
                ValueColumn.ofIdentities("e", Aggregate.IDENTITIES, IdentityMethod.BACKWARD_FILL),
                ValueColumn.ofIdentities("f", Aggregate.IDENTITIES, IdentityMethod.CONNECTED_COMPONENTS),
                ValueColumn.ofIdentities("g", Aggregate.IDENTIFIED_EVENTS, IdentityMethod.BACKWARD_FILL),
                ValueColumn.ofIdentities("h", Aggregate.IDENTIFIED_EVENTS, IdentityMethod.CONNECTED_COMPONENTS));
        return new JobPlan(
                plan.job(),
                plan.source(),
                plan.fields(),
                plan.where(),
                plan.changes(),
                plan.time(),
                plan.partition(),
                new TargetPlan("s", "t", List.of(), columns, false),
                plan.history(),
                new IdentityPlan(DEVICE, USER, null, GAP));
    }

    /** One history. */
    private static final class Run {
        private final Random random;
        private final JobPlan plan;
        private final RowLayout layout;
        private final Sessions sessions = new Sessions(GAP);
        private final Map<String, DeviceHistory> devices = new TreeMap<>();
        private final Map<String, List<DeviceChange>> waiting = new TreeMap<>();
        private final List<Event> events = new ArrayList<>();
        private final Map<Long, IdentityOracle.Row> stands = new HashMap<>();
        private final Set<Long> touched = new TreeSet<>();
        private final Set<Long> wouldMiss = new TreeSet<>();
        private final Set<Long> missed = new TreeSet<>();
        private IdentityBook book;
        private long frontier = 100;
        private long forgottenBefore = Long.MIN_VALUE;
        private long sequence;

        private Run(int seed) {
            this.random = new Random(seed);
            this.plan = plan();
            this.layout = new RowLayout(
                    plan.target().columns().stream().map(ValueColumn::type).toList());
            this.book = new IdentityBook(plan);
        }

        private long openFrom() {
            return frontier - LOOKBACK;
        }

        private void change() {
            for (int i = random.nextInt(25); i > 0; i--) {
                List<Event> open = events.stream()
                        .filter(event -> event.day() >= openFrom())
                        .toList();
                if (!open.isEmpty() && random.nextInt(4) == 0) {
                    remove(open.get(random.nextInt(open.size())));
                } else {
                    add();
                }
            }
        }

        private void add() {
            long day = openFrom() + random.nextInt(LOOKBACK + 1);
            // Often near midnight, so that sessions cross it.
            long time = day * DAY
                    + switch (random.nextInt(3)) {
                        case 0 -> random.nextInt(20) * MINUTE;
                        case 1 -> DAY - (1 + random.nextInt(20)) * MINUTE;
                        default -> random.nextInt(24 * 60) * MINUTE;
                    };
            // Devices and users have the same names.
            String user = random.nextInt(3) == 0 ? "" : "x" + random.nextInt(6);
            Event event = new Event(
                    "x" + random.nextInt(6), user, random.nextInt(5) == 0 ? "app" : "web", time, day, openFrom());
            List<String> before = asTheDayBeforeWouldSee(event);
            events.add(event);
            tell(event, null, sighting(event), before);
        }

        private void remove(Event event) {
            List<String> before = asTheDayBeforeWouldSee(event);
            events.remove(event);
            tell(event, sighting(event), null, before);
        }

        private static Sighting sighting(Event event) {
            return new Sighting(event.time(), Bytes.utf8(event.platform()), Bytes.utf8(event.user()));
        }

        /** Who the events of the day before belong to, if everything is seen from there. */
        private List<String> asTheDayBeforeWouldSee(Event event) {
            List<Event> all = events.stream().map(Event::asSeenByAll).toList();
            return new IdentityOracle(all, GAP).sessionUsers(event.device(), event.day() - 1);
        }

        private void tell(
                Event event, @Nullable Sighting minus, @Nullable Sighting plus, List<String> before) {
            boolean reachesBack = event.day() > openFrom();
            if (!reachesBack && !before.equals(asTheDayBeforeWouldSee(event))) {
                wouldMiss.add(sequence);
            }
            touched.add(event.day());
            waiting.computeIfAbsent(event.device(), device -> new ArrayList<>())
                    .add(new DeviceChange(
                            Bytes.utf8(event.device()),
                            event.day(),
                            minus,
                            plus,
                            reachesBack,
                            "log",
                            sequence++,
                            reachesBack ? null : late()));
        }

        private static LateChange late() {
            return new LateChange(
                    "f",
                    0,
                    Half.NEIGHBOUR,
                    null,
                    false,
                    0,
                    Bytes.EMPTY,
                    0,
                    0,
                    0,
                    0,
                    0,
                    LateReason.OUTSIDE_WINDOW,
                    "{}");
        }

        /** Flush, then perhaps the frontier moves; as the operators do it. */
        private void barrier() throws IOException {
            DeviceEffects effects = new DeviceEffects(sessions);
            for (Map.Entry<String, List<DeviceChange>> entry : waiting.entrySet()) {
                DeviceHistory before = devices.getOrDefault(entry.getKey(), DeviceHistory.EMPTY);
                DeviceHistory after = before.after(entry.getValue(), sessions, change -> missed.add(change.sequence()));
                effects.replace(Bytes.utf8(entry.getKey()), before, after);
                devices.put(entry.getKey(), written(after));
            }
            waiting.clear();
            assertThat(missed).as("changes that the day before misses").isEqualTo(wouldMiss);
            effects.drain(book::take);
            long openFrom = openFrom();
            if (random.nextBoolean()) {
                frontier += 1 + random.nextInt(2);
                forgottenBefore = frontier - RETAIN;
                for (Map.Entry<String, DeviceHistory> device : devices.entrySet()) {
                    DeviceHistory before = device.getValue();
                    DeviceHistory after = before.forgottenBefore(
                            forgottenBefore, (one, other) -> book.take(new IdentityNote.JoinedForGood(one, other)));
                    effects.forget(Bytes.utf8(device.getKey()), before, after);
                    device.setValue(written(after));
                }
                effects.drain(book::take);
            }
            book.take(new IdentityNote.Forgotten(forgottenBefore));
            Map<Long, IdentityOracle.Row> expected = new IdentityOracle(events, GAP).rows();
            touched.forEach(day -> book.take(cell(day, expected.get(day))));
            Map<Long, IdentityOracle.Row> sent = new TreeMap<>();
            Set<Long> gone = new TreeSet<>();
            book.send(row -> {
                if (row.values() == null) {
                    gone.add(row.partition());
                } else {
                    sent.put(row.partition(), row(row.values()));
                }
            });
            check(expected, sent, gone, openFrom);
            touched.clear();
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            book.writeTo(new DataOutputStream(bytes));
            book = new IdentityBook(plan);
            book.readFrom(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        }

        private void check(
                Map<Long, IdentityOracle.Row> expected,
                Map<Long, IdentityOracle.Row> sent,
                Set<Long> gone,
                long openFrom) {
            sent.forEach((day, row) -> {
                assertThat(row.global())
                        .as("day %s", day)
                        .isEqualTo(Objects.requireNonNull(expected.get(day)).global());
                if (day >= openFrom) {
                    assertThat(row).as("day %s", day).isEqualTo(expected.get(day));
                } else {
                    assertThat(row.local())
                            .as("closed day %s", day)
                            .isEqualTo(Objects.requireNonNull(stands.get(day)).local());
                }
                stands.put(day, row);
            });
            gone.forEach(day -> {
                assertThat(expected).doesNotContainKey(day);
                stands.remove(day);
            });
            expected.forEach((day, row) -> {
                if (day >= openFrom) {
                    IdentityOracle.Row standing = stands.get(day);
                    assertThat(standing).as("day %s", day).isEqualTo(row);
                }
                assertThat(row.identifiedRaw()).isLessThanOrEqualTo(row.identifiedForward());
                assertThat(row.identifiedForward()).isLessThanOrEqualTo(row.identifiedBackward());
                assertThat(row.identifiedBackward()).isEqualTo(row.identifiedConnected());
                assertThat(row.dauBackward()).isGreaterThanOrEqualTo(row.dauConnected());
            });
        }

        private CellTruth cell(long day, IdentityOracle.@Nullable Row row) {
            if (row == null) {
                return new CellTruth(day, Bytes.EMPTY, 0, 0, null);
            }
            ByteBuilder scratch = new ByteBuilder();
            layout.begin(scratch);
            layout.putFixed(scratch, 0, row.events());
            return new CellTruth(day, Bytes.EMPTY, row.events(), 1, scratch.build());
        }

        private IdentityOracle.Row row(Bytes values) {
            List<Long> numbers =
                    layout.values(values).stream().map(value -> (Long) value).toList();
            return new IdentityOracle.Row(
                    numbers.get(0),
                    numbers.get(1),
                    numbers.get(2),
                    numbers.get(3),
                    numbers.get(4),
                    numbers.get(5),
                    numbers.get(6),
                    numbers.get(7),
                    numbers.get(8));
        }

        private static DeviceHistory written(DeviceHistory history) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            history.writeTo(new DataOutputStream(bytes));
            return DeviceHistory.readFrom(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        }
    }
}
