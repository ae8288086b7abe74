package dev.tidemark.change.avro;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.change.RawRecord;
import dev.tidemark.change.Reading;
import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Plans;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The key of a record without value gives the id of the record that it withdraws, or the record is rejected. */
class KeyDecoderTest {
    private static List<@Nullable Object> decode(JobPlan plan, byte @Nullable [] key, @Nullable String writerSchema) {
        RawRecord raw = new RawRecord();
        raw.tombstone = true;
        raw.recordKey = key;
        if (key != null) {
            raw.bytes = key;
            raw.length = key.length;
        }
        raw.writerSchema = writerSchema;
        Reading reading = Reading.of(plan);
        JsonRecordDecoder values = new JsonRecordDecoder(reading, plan.source().schema());
        List<@Nullable Object> all = Fixture.decode(new KeyDecoder(values, plan, reading), reading, raw);
        return all.size() == 1 ? all : all.subList(0, plan.changes().id().size());
    }

    private static List<@Nullable Object> decode(JobPlan plan, String key) {
        return decode(plan, key.getBytes(StandardCharsets.UTF_8), null);
    }

    private static JobPlan id(Field... fields) {
        return Plans.products().withId(fields).plan();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            a-17                   | a-17
            17                     | 17
            "quoted"               | quoted
            "half                  | "half
            {"id": "x", "n": [1]}  | x
            ["x"]                  | x
            ["x", "y"]             | ["x", "y"]
            {"other": "x"}         | {"other": "x"}
            {"id": 5}              | {"id": 5}
            """)
    void aTextIdIsTheKeyUnlessTheKeyIsJsonThatGivesIt(String key, String id) {
        assertThat(decode(id(Plans.ID), key)).containsExactly(id);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            17           | 17
            {"line": 17} | 17
            [17]         | 17
            -1           | -1
            """)
    void aNumberMayStandAlone(String key, int id) {
        assertThat(decode(id(Plans.LINE), key)).containsExactly(id);
    }

    @Test
    void aUuidAndADateAreAsInJson() {
        String uuid = "5b0aef0f-26a2-4a4f-8d5c-0d8e1f6f6c11";

        assertThat(decode(id(Plans.REFERENCE), uuid)).asString().isEqualTo("[" + uuid + "]");
        assertThat(decode(id(Plans.REFERENCE), '"' + uuid + '"')).asString().isEqualTo("[" + uuid + "]");
        assertThat(decode(id(Plans.DUE), "2026-11-30")).asString().isEqualTo("[2026-11-30]");
    }

    @Test
    void severalFieldsAreAnObjectOrAnArrayInTheirOrder() {
        JobPlan plan = id(Plans.ID, Plans.LINE);

        assertThat(decode(plan, "{\"line\": 2, \"id\": \"a\"}")).containsExactly("a", 2);
        assertThat(decode(plan, "[\"a\", 2]")).containsExactly("a", 2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            a          | a JSON object or array with the fields id, line is expected
            ["a"]      | a JSON object or array with the fields id, line is expected
            ["a", "b"] | field line
            """)
    void whatGivesNoIdIsRejected(String key, String why) {
        assertThat(decode(id(Plans.ID, Plans.LINE), key))
                .singleElement()
                .asString()
                .startsWith("no-id: the key of a record without value gives no id: ")
                .contains(why);
    }

    @Test
    void aNumberThatIsNoneIsRejected() {
        assertThat(decode(id(Plans.LINE), "seven")).singleElement().asString().startsWith("no-id: ");
        assertThat(decode(id(Plans.LINE), "{\"line\": 1} x"))
                .singleElement()
                .asString()
                .startsWith("no-id: ");
    }

    @Test
    void anAvroKeyIsARecordWithTheFieldsOrTheOnlyValue() {
        Schema key = new Schema.Parser().parse("""
                {"type":"record","name":"K","fields":[
                {"name":"line","type":"int"},{"name":"more","type":"string"},{"name":"id","type":"string"}]}""");
        GenericData.Record record = new GenericData.Record(key);
        record.put("line", 3);
        record.put("more", "x");
        record.put("id", "a");

        assertThat(decode(id(Plans.ID, Plans.LINE), Fixture.encoded(record), key.toString()))
                .containsExactly("a", 3);
        assertThat(decode(id(Plans.ID), new byte[] {4, 'a', 'b'}, "\"string\"")).containsExactly("ab");
        assertThat(decode(id(Plans.ID, Plans.LINE), new byte[] {4, 'a', 'b'}, "\"string\""))
                .singleElement()
                .asString()
                .startsWith("no-id: ");
    }

    @Test
    void nothingIsDeletedInAppendMode() {
        assertThat(decode(Plans.products().appending().plan(), "a"))
                .containsExactly("undecodable: the record has no value, and mode append has no deletes");
    }

    @Test
    void aRecordWithAValueIsDecodedAsEver() {
        JobPlan plan = Plans.products().plan();
        Reading reading = Reading.of(plan);
        RawRecord raw = Fixture.raw("{\"id\": \"a\", \"v\": 1}".getBytes(StandardCharsets.UTF_8), null);

        assertThat(Fixture.decode(
                        new KeyDecoder(
                                new JsonRecordDecoder(reading, plan.source().schema()), plan, reading),
                        reading,
                        raw))
                .startsWith("a", 1L);
    }
}
