package dev.tidemark.job.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.SourceSchema;
import dev.tidemark.job.SourceSchema.SchemaField;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The types of a real Avro schema. */
class AvroSchemasTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "boolean"                                            | BOOLEAN
            "int"                                                | INT
            "long"                                               | LONG
            "float"                                              | FLOAT
            "double"                                             | DOUBLE
            "string"                                             | STRING
            "bytes"                                              | BYTES
            {"type": "enum", "name": "E", "symbols": ["A"]}      | STRING
            {"type": "fixed", "name": "F", "size": 3}            | BYTES
            {"type": "int", "logicalType": "date"}               | DATE
            {"type": "int", "logicalType": "time-millis"}        | TIME
            {"type": "long", "logicalType": "time-micros"}       | TIME
            {"type": "long", "logicalType": "timestamp-millis"}  | TIMESTAMP
            {"type": "long", "logicalType": "timestamp-micros"}  | TIMESTAMP
            {"type": "long", "logicalType": "local-timestamp-millis"} | LOCAL_TIMESTAMP
            {"type": "long", "logicalType": "local-timestamp-micros"} | LOCAL_TIMESTAMP
            {"type": "string", "logicalType": "uuid"}            | UUID
            {"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"} | UUID
            {"type": "long", "logicalType": "of-another-world"}  | LONG
            """)
    void readsEveryTypeAlsoInAUnionWithNull(String type, Kind kind) {
        assertThat(field(type).type()).isEqualTo(FieldType.of(kind));
        assertThat(field("[\"null\", " + type + "]").type()).isEqualTo(FieldType.of(kind));
        assertThat(field("[" + type + ", \"null\"]").type()).isEqualTo(FieldType.of(kind));
        assertThat(field("[" + type + "]").type()).isEqualTo(FieldType.of(kind));
    }

    @Test
    void readsDecimalsWithTheirDigits() {
        String decimal = "\"logicalType\": \"decimal\", \"precision\": 12, \"scale\": 2}";

        assertThat(field("{\"type\": \"bytes\", " + decimal).type()).isEqualTo(FieldType.decimal(12, 2));
        assertThat(field("{\"type\": \"fixed\", \"name\": \"D\", \"size\": 8, " + decimal)
                        .type())
                .isEqualTo(FieldType.decimal(12, 2));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"type": "array", "items": "int"}                       | an array
            {"type": "map", "values": "int"}                        | a map
            {"type": "record", "name": "R", "fields": []}           | a record
            ["int", "string"]                                       | a union of int, string
            "null"                                                  | a null
            {"type": "long", "logicalType": "timestamp-nanos"}      | a timestamp-nanos
            {"type": "long", "logicalType": "local-timestamp-nanos"} | a local-timestamp-nanos
            {"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"} | a duration
            {"type": "bytes", "logicalType": "big-decimal"}         | a big-decimal
            {"type": "bytes", "logicalType": "decimal", "precision": 1001} | a decimal(1001,0)
            """)
    void namesWhatAJobCannotRead(String type, String described) {
        assertThat(field(type).type()).isNull();
        assertThat(field(type).described()).isEqualTo(described);
    }

    @Test
    void knowsTheSymbolsOfAnEnum() {
        assertThat(field("[\"null\", {\"type\": \"enum\", \"name\": \"E\", \"symbols\": [\"c\", \"d\"]}]")
                        .symbols())
                .containsExactly("c", "d");
    }

    @Test
    void keepsTheSchemaWithItsLogicalTypes() throws IOException {
        String text = Files.readString(Path.of("schemas/earthquake.avsc"));
        SourceSchema schema = AvroSchemas.parse(text);

        assertThat(new Schema.Parser().parse(schema.json())).isEqualTo(new Schema.Parser().parse(text));
        assertThat(schema.names()).startsWith("id", "net", "mag").endsWith("depth");
        assertThat(schema.field("time"))
                .isNotNull()
                .extracting(SchemaField::type)
                .isEqualTo(FieldType.of(Kind.TIMESTAMP));
        assertThat(schema.field("nothing")).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{\"type\": \"recrod\"}",
                "{\"type\": \"record\"}",
                "{\"type\": \"record\", \"name\": \"A\", \"fields\": [{\"name\": \"x\", \"type\": \"Foo\"}]}",
                "{\"type\": \"record\", \"name\": \"A\", \"fields\": [{\"name\": \"x\", \"type\": \"int\", \"default\":"
                        + " \"s\"}]}"
            })
    void saysInOneLineWhyATextIsNoSchema(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AvroSchemas.parse(text))
                .satisfies(refused -> assertThat(refused.getMessage())
                        .startsWith("is not an Avro schema: ")
                        .hasLineCount(1));
    }

    private static SchemaField field(String type) {
        SourceSchema schema = AvroSchemas.parse("{\"type\": \"record\", \"name\": \"Probe\", \"fields\": [{\"name\":"
                + " \"probe\", \"type\": " + type + "}]}");
        return schema.fields().get(0);
    }
}
