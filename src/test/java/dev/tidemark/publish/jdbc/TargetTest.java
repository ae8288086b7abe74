package dev.tidemark.publish.jdbc;

import static dev.tidemark.publish.jdbc.WarehouseFixture.cut;
import static dev.tidemark.publish.jdbc.WarehouseFixture.judged;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.Draft;
import dev.tidemark.change.RowLayout;
import dev.tidemark.database.Connections;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.Warehouse.Outcome;
import dev.tidemark.publish.Warehouse.Seat;
import dev.tidemark.publish.WarehouseException;
import java.math.BigInteger;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class TargetTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    private static final List<FieldType> TYPES = List.of(
            FieldType.of(Kind.BOOLEAN),
            FieldType.of(Kind.INT),
            FieldType.of(Kind.LONG),
            FieldType.of(Kind.FLOAT),
            FieldType.of(Kind.DOUBLE),
            FieldType.decimal(18, 4),
            FieldType.decimal(38, 2),
            FieldType.of(Kind.STRING),
            FieldType.of(Kind.BYTES),
            FieldType.of(Kind.DATE),
            FieldType.of(Kind.TIME),
            FieldType.of(Kind.TIMESTAMP),
            FieldType.of(Kind.LOCAL_TIMESTAMP),
            FieldType.of(Kind.UUID));

    @Test
    void initIsSafeToRepeatAndSaysAllDifferencesAtOnce() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "repeat", true)) {
            it.init();
            it.init();
            assertThat(it.rows("select column_name, data_type, is_nullable from information_schema.columns"
                            + " where table_schema = 'sales' and table_name = 'repeat' order by ordinal_position"))
                    .containsExactly(
                            "day|date|NO",
                            "shop|text|NO",
                            "product|bigint|NO",
                            "lines|bigint|NO",
                            "net|numeric|YES",
                            "last_price|double precision|YES",
                            "_revision|integer|NO",
                            "_members|bigint|NO",
                            "_fingerprint|bigint|NO",
                            "_pane|text|NO",
                            "_publication|bigint|NO",
                            "_published_at|timestamp with time zone|NO");
            assertThat(it.rows("select target, epoch, lookback, retain, zone, spec ->> 'job', length(spec_fingerprint)"
                            + " from tidemark.jobs where job = 'repeat'"))
                    .containsExactly("sales.repeat|0|2|4|America/New_York|repeat|64");

            it.execute("alter table sales.repeat alter column net type numeric(10,2), drop column last_price,"
                    + " alter column lines drop not null, alter column _pane drop not null,"
                    + " add column note text not null, drop constraint repeat_pkey, add primary key (day, product)");
            assertThatThrownBy(it::init)
                    .isInstanceOf(WarehouseException.class)
                    .hasMessageContaining("column net is numeric(10,2), must be numeric(38,2)")
                    .hasMessageContaining("column last_price double precision is missing")
                    .hasMessageContaining("column note is not the job's")
                    .hasMessageContaining("the primary key is (day, product), must be (day, shop, product)");
        }
    }

    @Test
    void aTargetHasOneOwner() throws SQLException {
        try (WarehouseFixture first = new WarehouseFixture(POSTGRES, "owner", false);
                WarehouseFixture second = new WarehouseFixture(
                        POSTGRES, POSTGRES.connections(), WarehouseFixture.plan("thief", "sales", "owner", false))) {
            first.init();
            assertThatThrownBy(second::init)
                    .isInstanceOf(WarehouseException.class)
                    .hasMessageContaining("the target sales.owner belongs to the job owner");
        }
    }

    @Test
    void aPublishedTargetThatIsGoneIsNotReplacedByAnEmptyOne() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "vanished", true)) {
            it.init();
            it.publish(it.register("s1"), 1, it.cell("10", "a", 1, 1, "1.00", 1.0), judged(1, 0), cut(0, 1, "10"));
            it.execute("drop table sales.vanished");

            assertThatThrownBy(it::init)
                    .isInstanceOf(WarehouseException.class)
                    .hasMessageContaining("the table sales.vanished is gone");
        }
    }

    @Test
    void lengthsOfTextColumnsAreReportedAndSuchColumnsWork() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "lengths", false)) {
            it.execute("create schema if not exists sales; create table sales.lengths (day date, shop varchar(20),"
                    + " product bigint, lines bigint, net numeric(38,2), last_price double precision,"
                    + " _revision int not null, _members bigint not null, _fingerprint bigint not null,"
                    + " _pane text not null, _publication bigint not null, _published_at timestamptz not null,"
                    + " extra text default 'kept', primary key (day, shop, product))");
            it.init();
            assertThat(new Initialization(POSTGRES.connections(), it.plan).textLimits())
                    .isEqualTo(Map.of("shop", 20));

            Seat seat = it.register("s1");
            it.publish(seat, 1, it.cell("10", "a", 1, 1, "1.00", 1.0), judged(1, 0), cut(0, 1, "10"));
            it.publish(seat, 2, it.cell("10", "a", 1, 2, "1.00", 1.0), judged(1, 0), cut(1, 2, "10"));
            assertThat(it.rows("select shop, lines, extra from sales.lengths")).containsExactly("a|2|kept");
        }
    }

    @Test
    void everyTypeArrivesAsItIs() throws SQLException {
        List<JobPlan.ValueColumn> columns = new ArrayList<>();
        List<Field> keys = new ArrayList<>();
        for (int i = 0; i < TYPES.size(); i++) {
            Field field = new Field("f" + i, TYPES.get(i));
            columns.add(new JobPlan.ValueColumn("v" + i, Aggregate.LATEST, field, List.of(), TYPES.get(i)));
            if (!TYPES.get(i).isFloatingPoint()) {
                keys.add(new Field("k" + i, TYPES.get(i)));
            }
        }
        JobPlan plan = WarehouseFixture.plan(
                "types", new JobPlan.TargetPlan("sales", "types", keys, columns, true), Grain.HOUR);
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, POSTGRES.connections(), plan)) {
            it.init();
            Seat seat = it.register("s1");
            String text = "tab\tnewline\nreturn\r back\\slash \\N 'quote' \"double\" ünï 😀 \u0001";
            Bytes awkward = row(
                    TYPES,
                    1,
                    -7,
                    Long.MIN_VALUE,
                    Double.doubleToLongBits(Float.MIN_VALUE),
                    Double.doubleToLongBits(Double.NEGATIVE_INFINITY),
                    -5,
                    new BigInteger("-99999999999999999999999999999999999999"),
                    text,
                    new byte[] {0, 10, 92, -1},
                    -719_162,
                    86_399_999_999L,
                    Instant.parse("9999-12-31T23:59:59Z").getEpochSecond() * 1_000_000 + 1,
                    -1,
                    new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -1});
            Bytes nan = row(
                    TYPES,
                    0,
                    0,
                    Long.MAX_VALUE,
                    Double.doubleToLongBits(Double.NaN),
                    Double.doubleToLongBits(-0.1),
                    123_456_789_012_345_678L,
                    BigInteger.ZERO,
                    "",
                    new byte[0],
                    0,
                    0,
                    0,
                    0,
                    new byte[16]);
            Bytes nulls = new RowLayout(TYPES).encode(new ByteBuilder(), new Draft(TYPES.size()), slots());
            long hour = Instant.parse("2024-03-10T05:00:00Z").getEpochSecond();
            for (int checkpoint = 1; checkpoint <= 2; checkpoint++) {
                Outcome outcome = it.publish(
                        seat,
                        checkpoint,
                        new Part.Cell(new CellTruth(hour, key(keys, text), 1, -1, awkward)),
                        new Part.Cell(new CellTruth(hour, key(keys, ""), 1, 1, nan)),
                        new Part.Cell(new CellTruth(hour, key(keys, "\\."), 1, 1, nulls)),
                        checkpoint == 1 ? judged(3, 0) : judged(0, 0),
                        new Part.Read(new Cut(
                                checkpoint == 1 ? 3 : 0,
                                0,
                                List.of(new LogCut("", "f", 3, "f", checkpoint == 1 ? 0 : 3, hour * 1_000_000)))));
                assertThat(outcome).isEqualTo(checkpoint == 1 ? Outcome.PUBLISHED : Outcome.NOTHING_NEW);
            }
            String values = "v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13";
            assertThat(it.rows("select " + values + " from sales.types order by k7"))
                    .containsExactly(
                            "f|0|9223372036854775807|NaN|-0.1|12345678901234.5678|0.00||\\x|1970-01-01|00:00:00|"
                                    + "1970-01-01 00:00:00+00|1970-01-01 00:00:00|00000000-0000-0000-0000-000000000000",
                            "null|null|null|null|null|null|null|null|null|null|null|null|null|null",
                            "t|-7|-9223372036854775808|1e-45|-Infinity|-0.0005|-999999999999999999999999999999999999.99|"
                                    + text + "|\\x000a5cff|0001-01-01|23:59:59.999999|9999-12-31 23:59:59.000001+00|"
                                    + "1969-12-31 23:59:59.999999|00010203-0405-0607-0809-0a0b0c0d0eff");
            assertThat(it.rows("select partition, cells from tidemark.partitions where job = 'types'"))
                    .containsExactly("2024-03-10T05:00:00Z|3");
        }
    }

    @Test
    void anyNameIsAName() throws SQLException {
        String longest = "Ü \"quoted\" " + "x".repeat(63 - 12);
        JobPlan plan = WarehouseFixture.plan(
                "names",
                new JobPlan.TargetPlan(
                        "Odd \"Schema\"",
                        "Sales By; Day'",
                        List.of(
                                new Field("Select", FieldType.of(Kind.STRING)),
                                new Field("a b%s", FieldType.of(Kind.LONG))),
                        List.of(
                                new JobPlan.ValueColumn(
                                        longest, Aggregate.COUNT, null, List.of(), FieldType.of(Kind.LONG)),
                                new JobPlan.ValueColumn(
                                        "order",
                                        Aggregate.SUM,
                                        new Field("n", FieldType.decimal(5, 2)),
                                        List.of(),
                                        FieldType.decimal(38, 2))),
                        true),
                Grain.DAY);
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, POSTGRES.connections(), plan)) {
            it.init();
            it.init();
            Seat seat = it.register("s1");
            Part cell = it.cell("10", "k", 1, 2, "3.00", null);
            assertThat(it.publish(seat, 1, cell, judged(1, 0), cut(0, 1, "10"))).isEqualTo(Outcome.PUBLISHED);
            assertThat(it.publish(seat, 2, it.removed("10", "k", 1), judged(1, 0), cut(1, 2, "10")))
                    .isEqualTo(Outcome.PUBLISHED);
            assertThat(it.rows("select \"Select\", \"a b%s\", \"order\", _revision, _removed from"
                            + " \"Odd \"\"Schema\"\"\".\"Sales By; Day'_revisions\" order by _revision"))
                    .containsExactly("k|1|3.00|1|f", "k|1|null|2|t");
        }
        assertThatThrownBy(() -> new TargetTable(WarehouseFixture.plan("long", "sales", "x".repeat(60), true)))
                .isInstanceOf(WarehouseException.class)
                .hasMessageContaining("longer than 53 bytes");
        assertThatThrownBy(() -> new TargetTable(WarehouseFixture.plan("long", "sales", "x".repeat(64), false)))
                .isInstanceOf(WarehouseException.class)
                .hasMessageContaining("longer than 63 bytes");
    }

    @Test
    void aUserWithoutRightsIsToldWhichOneIsMissing() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "rights", false)) {
            it.init();
            it.execute("create role weak login password 'p@ss/w:rd'");
            Connections weak = Connections.to(POSTGRES.settings("weak", "p%40ss%2Fw%3Ard"));

            assertThatThrownBy(() -> new Initialization(weak, it.plan).run("{}", null))
                    .isInstanceOf(WarehouseException.class)
                    .hasMessageContaining("SQLSTATE 42501")
                    .hasMessageContaining("permission denied for schema tidemark")
                    .hasMessageNotContaining("p@ss");
            assertThatThrownBy(() -> {
                        try (var warehouse =
                                JdbcWarehouse.factory(weak, it.plan).open()) {
                            warehouse.register("s", "f");
                        }
                    })
                    .isInstanceOf(WarehouseException.class)
                    .hasMessageContaining("the user lacks this right");
        }
    }

    @Test
    void aJobThatWasNotInitializedIsToldSo() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "known", false);
                WarehouseFixture unknown = new WarehouseFixture(POSTGRES, "unknown", false)) {
            it.init();
            assertThatThrownBy(() -> unknown.register("s1"))
                    .isInstanceOf(WarehouseException.class)
                    .hasMessageContaining("run `init` first");
        }
    }

    private static int[] slots() {
        int[] slots = new int[TYPES.size()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = i;
        }
        return slots;
    }

    private static Bytes key(List<Field> keys, String text) {
        List<Object> values = new ArrayList<>();
        for (Field field : keys) {
            values.add(
                    switch (field.type().kind()) {
                        case STRING -> text;
                        case BYTES -> Bytes.utf8(text).array();
                        case UUID -> new byte[16];
                        case DECIMAL -> field.type().isFixed() ? (Object) 5L : BigInteger.TEN;
                        default -> 1L;
                    });
        }
        return row(keys.stream().map(Field::type).toList(), values.toArray());
    }

    private static Bytes row(List<FieldType> types, Object... values) {
        RowLayout layout = new RowLayout(types);
        ByteBuilder scratch = new ByteBuilder();
        layout.begin(scratch);
        for (int i = 0; i < values.length; i++) {
            if (values[i] instanceof Number number && types.get(i).isFixed()) {
                layout.putFixed(scratch, i, number.longValue());
            } else if (values[i] instanceof BigInteger unscaled) {
                layout.putDecimal(scratch, i, unscaled);
            } else {
                byte[] bytes =
                        values[i] instanceof String text ? Bytes.utf8(text).array() : (byte[]) values[i];
                layout.putBytes(scratch, i, bytes, 0, bytes.length);
            }
        }
        return scratch.build();
    }
}
