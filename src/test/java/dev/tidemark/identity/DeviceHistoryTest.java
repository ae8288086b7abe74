package dev.tidemark.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.publish.CellTruth;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Devices, and the days that they come to, by hand. */
class DeviceHistoryTest {
    private static final long MINUTE = 60_000_000L;
    private static final long DAY = 24 * 60 * MINUTE;
    private static final long TODAY = 20_000;
    private static final RowLayout ROW = new RowLayout(Collections.nCopies(9, FieldType.of(Kind.LONG)));

    private final Sessions sessions = new Sessions(30 * MINUTE);
    private final DeviceEffects effects = new DeviceEffects(sessions);
    private final Map<String, DeviceHistory> devices = new TreeMap<>();
    private final IdentityBook book = new IdentityBook(IdentityHistoriesTest.plan());
    private final Map<Long, List<Object>> rows = new TreeMap<>();
    private long sequence;

    private static Sighting at(long minute, String user) {
        return new Sighting(TODAY * DAY + minute * MINUTE, Bytes.EMPTY, Bytes.utf8(user));
    }

    private void change(String device, @Nullable Sighting minus, @Nullable Sighting plus) {
        long day = Math.floorDiv(Objects.requireNonNull(minus == null ? plus : minus).eventTime(), DAY);
        DeviceHistory before = devices.getOrDefault(device, DeviceHistory.EMPTY);
        DeviceHistory after = before.after(
                List.of(new DeviceChange(Bytes.utf8(device), day, minus, plus, true, "log", sequence++, null)),
                sessions,
                DeviceHistory.Missed.NOBODY);
        effects.replace(Bytes.utf8(device), before, after);
        devices.put(device, after);
        ByteBuilder values = new ByteBuilder();
        ROW.begin(values);
        book.take(new CellTruth(day, Bytes.EMPTY, 1, 1, values.build()));
    }

    private DeviceHistory device(String name) {
        return Objects.requireNonNull(devices.get(name));
    }

    private void event(String device, long minute, String user) {
        change(device, null, at(minute, user));
    }

    private void withdraw(String device, long minute, String user) {
        change(device, at(minute, user), null);
    }

    /** Of today: identities raw, forward, backward, connected, then identified events in the same order. */
    private List<Object> today() {
        effects.drain(book::take);
        book.send(row -> rows.put(
                row.partition(),
                List.copyOf(ROW.values(Objects.requireNonNull(row.values())).stream()
                        .map(value -> value == null ? (Object) "" : value)
                        .toList())));
        List<Object> row = Objects.requireNonNull(rows.get(TODAY));
        return List.of(row.get(1), row.get(2), row.get(5), row.get(6), row.get(3), row.get(4), row.get(7), row.get(8));
    }

    @Test
    void withdrawingTheOnlyEventThatJoinsTwoComponentsSplitsThem() {
        event("phone", 0, "ann");
        event("laptop", 0, "bob");
        event("kiosk", 0, "ann");
        event("kiosk", 100, "ann");
        event("kiosk", 200, "bob");
        assertThat(today()).containsExactly(2L, 2L, 2L, 1L, 5L, 5L, 5L, 5L);

        withdraw("kiosk", 200, "bob");
        assertThat(today()).containsExactly(2L, 2L, 2L, 2L, 4L, 4L, 4L, 4L);
    }

    @Test
    void whatForgottenDaysHaveJoinedStaysJoined() {
        event("phone", 0, "ann");
        event("kiosk", -2 * 24 * 60, "ann");
        event("kiosk", -2 * 24 * 60 + 100, "bob");
        event("laptop", 0, "bob");
        assertThat(today()).startsWith(2L, 2L, 2L, 1L);

        DeviceHistory before = device("kiosk");
        DeviceHistory after =
                before.forgottenBefore(TODAY, (one, other) -> book.take(new IdentityNote.JoinedForGood(one, other)));
        effects.forget(Bytes.utf8("kiosk"), before, after);
        book.take(new IdentityNote.Forgotten(TODAY));
        event("phone", 500, "ann");

        assertThat(after.firstDay()).isNull();
        assertThat(after.owner()).isEqualTo(Bytes.utf8("ann"));
        assertThat(today()).startsWith(2L, 2L, 2L, 1L);
        assertThat(book.size()).isEqualTo(1);
    }

    @Test
    void aUserAndADeviceOfTheSameNameAreTwoIdentities() {
        event("x", 0, "");
        event("y", 0, "x");

        assertThat(today()).containsExactly(2L, 2L, 2L, 2L, 1L, 1L, 1L, 1L);
    }

    @Test
    void theLastUserOfASessionHasAllOfItBeforeAndAfterTheSignIn() {
        event("phone", 0, "");
        event("phone", 20, "ann");
        event("phone", 40, "");
        event("phone", 71, "");
        assertThat(today()).containsExactly(2L, 2L, 1L, 1L, 1L, 3L, 4L, 4L);
    }

    @Test
    void theNextDaySignsInASessionThatReachesOverMidnight() {
        event("phone", 24 * 60 - 10, "");
        event("phone", 24 * 60 + 10, "ann");
        assertThat(today()).containsExactly(1L, 1L, 1L, 1L, 0L, 1L, 1L, 1L);

        withdraw("phone", 24 * 60 + 10, "ann");
        assertThat(today()).containsExactly(1L, 1L, 1L, 1L, 0L, 0L, 0L, 0L);
    }

    @Test
    void aDayDoesNotSeeTheDayBefore() {
        event("phone", -10, "ann");
        event("phone", 10, "");

        assertThat(today()).containsExactly(1L, 1L, 1L, 1L, 0L, 0L, 1L, 1L);
    }

    @Test
    void aDeviceGoesToTheUserWithMostEventsThenToTheOneSeenFirstThenToTheLeast() {
        event("phone", 60, "cid");
        event("phone", 0, "bob");
        assertThat(device("phone").owner()).isEqualTo(Bytes.utf8("bob"));
        event("phone", 0, "ann");
        assertThat(device("phone").owner()).isEqualTo(Bytes.utf8("ann"));
        event("phone", 120, "cid");
        assertThat(device("phone").owner()).isEqualTo(Bytes.utf8("cid"));
        DeviceHistory forgotten = device("phone").forgottenBefore(TODAY + 1, (one, other) -> {});
        assertThat(forgotten.owner()).isEqualTo(Bytes.utf8("cid"));
    }

    @Test
    void aClosedDayGoesOnSeeingWhatWentAndDoesNotSeeWhatCameUntilItIsOpenedAgain() {
        event("phone", 24 * 60 - 10, "");
        event("phone", 24 * 60 + 10, "ann");
        DeviceHistory open = device("phone");
        long tomorrow = TODAY + 1;
        DeviceHistory without = open.after(
                List.of(new DeviceChange(
                        Bytes.utf8("phone"), tomorrow, at(24 * 60 + 10, "ann"), null, false, "log", 9, null)),
                sessions,
                DeviceHistory.Missed.NOBODY);
        DeviceHistory other = without.after(
                List.of(new DeviceChange(
                        Bytes.utf8("phone"), tomorrow, null, at(24 * 60 + 15, "bob"), false, "log", 10, null)),
                sessions,
                DeviceHistory.Missed.NOBODY);

        assertThat(without.day(TODAY, sessions).owners()).containsExactly(Bytes.utf8("ann"));
        assertThat(without.day(tomorrow, sessions).events()).isZero();
        assertThat(other.day(TODAY, sessions).owners()).containsExactly(Bytes.utf8("ann"));
        assertThat(other.day(tomorrow, sessions).users()).containsExactly(Bytes.utf8("bob"));
        assertThat(other.reopened(TODAY).day(TODAY, sessions).owners()).containsExactly(Bytes.utf8("bob"));
        assertThat(other.reopened(tomorrow).day(TODAY, sessions).owners()).containsExactly(Bytes.utf8("ann"));
        assertThat(without.reopened(TODAY).has(tomorrow)).isFalse();
    }

    @Test
    void whatWasNeverPutInIsNotTakenOut() {
        assertThatThrownBy(() -> withdraw("phone", 0, "ann")).hasMessageContaining("never put in");
    }

    @Test
    void aHistoryKeepsItsForm() throws IOException {
        event("phone", -24 * 60, "ann");
        event("phone", 0, "");
        event("phone", 1, "bob");
        DeviceHistory history = device("phone").forgottenBefore(TODAY, (one, other) -> {});

        assertThat(hex(history)).isEqualTo(FORM);
        DeviceHistory read = DeviceHistory.readFrom(
                new DataInputStream(new ByteArrayInputStream(HexFormat.of().parseHex(FORM))));
        assertThat(hex(read)).isEqualTo(FORM);
        assertThat(read.owner()).isEqualTo(history.owner());
    }

    @Test
    void theBookKeepsItsForm() throws IOException {
        event("phone", 0, "ann");
        event("phone", 1, "bob");
        book.take(new IdentityNote.JoinedForGood(Bytes.utf8("ann"), Bytes.utf8("cid")));
        today();

        assertThat(hex(book)).isEqualTo(BOOK);
        IdentityBook read = new IdentityBook(IdentityHistoriesTest.plan());
        read.readFrom(
                new DataInputStream(new ByteArrayInputStream(HexFormat.of().parseHex(BOOK))));
        assertThat(hex(read)).isEqualTo(BOOK);
    }

    private static final String BOOK =
            "010363696403616e6e010570686f6e650203616e6e03626f62800000000000000001c0b8020400040004000203"
                    + "616e6e01000103626f62010100010002000000000000000103000043fe01000000000000000200000000000000"
                    + "010000000000000002000000000000000200000000000000010000000000000001000000000000000200000000"
                    + "00000002";

    private static final String FORM = "04616e6e" + "0103616e6e028080a5c5e7e19106" + "01c0b802" + "02"
            + "8080e0a2ebe69106" + "0000" + "0101" + "809c9c39" + "0003626f62" + "0101";

    private static String hex(IdentityBook book) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        book.writeTo(new DataOutputStream(bytes));
        return HexFormat.of().formatHex(bytes.toByteArray());
    }

    private static String hex(DeviceHistory history) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        history.writeTo(new DataOutputStream(bytes));
        return HexFormat.of().formatHex(bytes.toByteArray());
    }
}
