package dev.tidemark.change.avro;

import static dev.tidemark.change.avro.Fixture.decimal;
import static dev.tidemark.change.avro.Fixture.field;
import static dev.tidemark.change.avro.Fixture.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.change.Reading;
import dev.tidemark.job.Expression;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.JobPlan.Derived;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Fields inside of records, from Avro and from JSON. */
class NestedRecordsTest {
    private static final String CUSTOMER = """
            {"type": "record", "name": "Customer", "fields": [
              {"name": "name", "type": "string"},
              {"name": "address", "type": ["null", {"type": "record", "name": "Address", "fields": [
                {"name": "street", "type": "string"},
                {"name": "city", "type": "string"},
                {"name": "zip", "type": "int", "default": 7, "aliases": ["code"]}]}]},
              {"name": "referrer", "type": ["null", "Customer"]}]}""";
    private static final Schema SCHEMA =
            schema(field("id", "\"long\""), field("customer", "[\"null\"," + CUSTOMER + "]"), field("end", "\"int\""));
    private static final List<String> PATHS = List.of(
            "end",
            "customer.address.city",
            "customer.name",
            "customer.address.zip",
            "customer.referrer.name",
            "customer.referrer.address.city");

    @Test
    void areReachedByTheirPaths() {
        assertThat(both("""
                {"id": 1, "end": 2, "customer": {"name": "n", "address": {"street": "s", "city": "c", "zip": 3},
                 "referrer": {"name": "r", "address": {"street": "t", "city": "d", "zip": 4}, "referrer": null}}}""")).containsExactly(2, "c", "n", 3, "r", "d");
    }

    @Test
    void areNullWhereARecordOnTheWayIsNull() {
        assertThat(both("""
                {"id": 1, "end": 2, "customer": {"name": "n", "address": null,
                 "referrer": {"name": "r", "address": null, "referrer": null}}}""")).containsExactly(2, null, "n", null, "r", null);
        assertThat(both("{\"id\": 1, \"end\": 2, \"customer\": null}"))
                .containsExactly(2, null, null, null, null, null);
    }

    @Test
    void cannotBeNullWhereTheReaderHasNoNull() {
        Schema writer = schema(field("total", "[\"null\"," + total("Total") + "]"));
        Schema reader = schema(field("total", total("Total")));
        Reading reading = Fixture.row(reader);
        GenericRecord record = new GenericData.Record(writer);

        assertThat(Fixture.avro(reader, record).toString()).contains("undecodable: field total.net has no value");
        assertThat(json(reading, reader, "{\"total\": null}").toString())
                .contains("undecodable: field total.net has no value");
        assertThat(json(reading, reader, "{}").toString()).contains("undecodable: field total.net has no value");
        assertThat(json(reading, reader, "{\"total\": {}}").toString())
                .contains("undecodable: field total.net has no value");
        assertThat(json(reading, reader, "{\"total\": [1]}").toString())
                .contains("undecodable: field total: an object is expected, found an array");
        assertThat(Fixture.avro(
                                reader,
                                new byte[] {2, 'x'},
                                schema(field("total", "\"string\"")).toString())
                        .toString())
                .contains("undecodable: field total: string cannot be read as record Total");
    }

    @Test
    void takeTheDefaultsOfWhicheverRecordHasThem() {
        Schema reader = schema(
                field("id", "\"long\""),
                field(
                        "customer",
                        CUSTOMER,
                        "{\"name\": \"nobody\", \"address\": null, \"referrer\": {\"name\": \"r\", \"address\": null,"
                                + " \"referrer\": null}}"),
                field("end", "\"int\""));
        assertThat(reader.getField("customer").hasDefaultValue()).isTrue();
        Schema without = schema(field("end", "\"int\""), field("id", "\"long\""));
        GenericRecord record = new GenericData.Record(without);
        record.put("id", 1L);
        record.put("end", 2);
        Reading reading = Fixture.row(reader, PATHS);

        assertThat(avro(reading, reader, record)).containsExactly(2, null, "nobody", null, "r", null);
        assertThat(json(reading, reader, "{\"id\": 1, \"end\": 2}"))
                .containsExactly(2, null, "nobody", null, "r", null);
        assertThat(json(reading, reader, """
                {"id": 1, "end": 2, "customer": {"name": "n", "address": {"street": "s", "city": "c"}, "referrer": null}}
                """)).containsExactly(2, "c", "n", 7, null, null);
    }

    @Test
    void areRenamedWithTheAliasesOfTheirRecords() {
        String written = CUSTOMER.replace("\"zip\", \"type\": \"int\", \"default\": 7", "\"code\", \"type\": \"int\"")
                .replace(", \"aliases\": [\"code\"]", "");
        Schema writer = schema(field("customer", written), field("end", "\"int\""));
        GenericRecord customer =
                new GenericData.Record(writer.getField("customer").schema());
        GenericRecord address = new GenericData.Record(
                Fixture.value(customer.getSchema().getField("address").schema()));
        address.put("street", "s");
        address.put("city", "c");
        address.put("code", 99);
        customer.put("name", "n");
        customer.put("address", address);
        GenericRecord record = new GenericData.Record(writer);
        record.put("customer", customer);
        record.put("end", 5);

        assertThat(avro(Fixture.row(SCHEMA, PATHS), SCHEMA, record)).containsExactly(5, "c", "n", 99, null, null);
        assertThat(json(Fixture.row(SCHEMA, PATHS), SCHEMA, """
                {"end": 5, "customer": {"name": "n", "address": {"street": "s", "city": "c", "code": 99}}}""")).containsExactly(5, "c", "n", 99, null, null);
    }

    @Test
    void areJudgedOneByOneInJson() {
        Reading reading = Fixture.row(SCHEMA, PATHS);

        assertThat(json(reading, SCHEMA, "{\"end\": 1, \"customer\": {\"name\": \"n\", \"name\": \"m\"}}")
                        .toString())
                .contains("undecodable: field customer.name is there twice");
        assertThat(json(reading, SCHEMA, "{\"end\": 1, \"customer\": {\"name\": 3}}")
                        .toString())
                .contains("undecodable: field customer.name: a string is expected, found a number");
        assertThat(json(reading, SCHEMA, """
                {"name": 1, "end": 1, "customer": {"end": [], "more": {"name": 2}, "name": "n"}}""")).containsExactly(1, null, "n", null, null, null);
    }

    @Test
    void mayBeMissingOrWrongInADelete() {
        Schema reader = schema(field("id", "\"long\""), field("op", "\"string\""), field("total", total("Total")));
        Field operation = new Field("op", FieldType.of(Kind.STRING));
        Derived isDelete =
                new Derived(new Field("delete", FieldType.of(Kind.BOOLEAN)), Expression.equalsText(operation, "d"));
        Reading reading = new Reading(
                List.of(
                        new Field("id", FieldType.of(Kind.LONG)),
                        operation,
                        new Field("total.net", FieldType.decimal(5, 2)),
                        isDelete.field()),
                3,
                List.of(isDelete),
                List.of(0),
                List.of(),
                List.of(),
                List.of(2),
                -1,
                -1,
                3,
                -1);
        Schema slim = schema(field("op", "\"string\""), field("id", "\"long\""));
        Schema other = schema(field("op", "\"string\""), field("total", "\"string\""), field("id", "\"long\""));
        for (String op : List.of("d", "u")) {
            GenericRecord without = new GenericData.Record(slim);
            without.put("op", op);
            without.put("id", 3L);
            GenericRecord wrong = new GenericData.Record(other);
            wrong.put("op", op);
            wrong.put("id", 3L);
            wrong.put("total", "unknown");
            List<@Nullable Object> first = avro(reading, reader, without);
            List<@Nullable Object> second = avro(reading, reader, wrong);
            List<@Nullable Object> third = json(reading, reader, "{\"id\":3,\"op\":\"" + op + "\",\"total\":\"x\"}");
            if (op.equals("d")) {
                assertThat(List.of(first, second, third))
                        .allSatisfy(values -> assertThat(values).containsExactly(3L, "d", null));
            } else {
                assertThat(first.toString()).contains("undecodable: field total is not in the writer schema");
                assertThat(second.toString()).contains("undecodable: field total: string cannot be read as record");
                assertThat(third.toString()).contains("undecodable: field total: an object is expected");
            }
        }
    }

    @Test
    void areRefusedAtOnceWhereTheSchemaHasNone() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AvroRecordDecoder(
                        new Reading(
                                List.of(new Field("end.of", FieldType.of(Kind.INT))),
                                1,
                                List.of(),
                                List.of(),
                                List.of(),
                                List.of(),
                                List.of(0),
                                -1,
                                -1,
                                -1,
                                -1),
                        SCHEMA.toString()))
                .withMessage("The schema has no field end.of");
    }

    private static String total(String name) {
        return "{\"type\": \"record\", \"name\": \"" + name + "\", \"fields\": [" + field("net", decimal(5, 2)) + "]}";
    }

    /** What a record in Avro's JSON encoding without the names of union branches comes to, in both formats alike. */
    private static List<@Nullable Object> both(String json) {
        Reading reading = Fixture.row(SCHEMA, PATHS);
        List<@Nullable Object> values = json(reading, SCHEMA, json);
        assertThat(avro(reading, SCHEMA, AvroJson.record(SCHEMA, json))).isEqualTo(values);
        return values;
    }

    private static List<@Nullable Object> avro(Reading reading, Schema reader, GenericRecord record) {
        return Fixture.decode(
                new AvroRecordDecoder(reading, reader.toString()),
                reading,
                Fixture.raw(Fixture.encoded(record), record.getSchema().toString()));
    }

    private static List<@Nullable Object> json(Reading reading, Schema reader, String text) {
        return Fixture.json(reading, reader, text.getBytes(StandardCharsets.UTF_8));
    }
}
