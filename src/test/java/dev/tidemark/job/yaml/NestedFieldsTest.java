package dev.tidemark.job.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.JobPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fields of nested records, wherever a job file names a field. */
class NestedFieldsTest {
    private static final String SCHEMA = """
            {"type": "record", "name": "Order", "fields": [
              {"name": "ref", "type": {"type": "record", "name": "Ref", "fields": [
                {"name": "id", "type": "string"}, {"name": "version", "type": "long"}]}},
              {"name": "meta", "type": ["null", {"type": "record", "name": "Meta", "fields": [
                {"name": "deleted", "type": "boolean"},
                {"name": "op", "type": {"type": "enum", "name": "Op", "symbols": ["u", "d"]}},
                {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}}]}]},
              {"name": "customer", "type": ["null", {"type": "record", "name": "Customer", "fields": [
                {"name": "name", "type": "string"},
                {"name": "address", "type": ["null", {"type": "record", "name": "Address", "fields": [
                  {"name": "city", "type": "string"}, {"name": "day", "type": "string"},
                  {"name": "_pane", "type": "string"}]}]},
                {"name": "referrer", "type": ["null", "Customer"]}]}]},
              {"name": "seller", "type": "Customer"},
              {"name": "either", "type": ["Ref", "Customer"]},
              {"name": "city", "type": "string"},
              {"name": "total", "type": {"type": "record", "name": "Total", "fields": [
                {"name": "net", "type": {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}}]}}
            ]}
            """;

    @TempDir
    private Path folder;

    private JobText job;

    @BeforeEach
    void writeTheSchema() throws IOException {
        job = JobText.least(folder)
                .with("id: [order_id, line_number]", "id: ref.id\n  version: ref.version")
                .with("event: ordered_at", "event: meta.at")
                .with("observed: ingested_at", "observed: meta.at")
                .with("key: product_id", "key: customer.address.city");
        Files.writeString(folder.resolve("order-item.avsc"), SCHEMA);
    }

    @Test
    void arePathsInEveryRole() {
        JobPlan plan = job.with("version: ref.version", "version: ref.version\n  delete: meta.op = 'd'")
                .column("net: { sum: total.net }\n    name: { latest: customer.name, order: [seller.address.city] }")
                .plan();

        assertThat(plan.changes().id()).containsExactly(new Field("ref.id", FieldType.of(Kind.STRING)));
        assertThat(plan.changes().version()).containsExactly(new Field("ref.version", FieldType.of(Kind.LONG)));
        assertThat(plan.changes().delete()).isNotNull();
        assertThat(plan.time().event().name()).isEqualTo("meta.at");
        assertThat(plan.time().observedField()).isEqualTo(new Field("meta.at", FieldType.of(Kind.TIMESTAMP)));
        assertThat(plan.target().key()).extracting(Field::name).containsExactly("customer.address.city");
        assertThat(plan.rowFields())
                .extracting(Field::name)
                .containsExactly("total.net", "customer.name", "seller.address.city");
        assertThat(job.with("version: ref.version", "version: ref.version\n  delete: meta.deleted")
                        .plan()
                        .changes()
                        .delete())
                .isNotNull();
    }

    @Test
    void nameKeyColumnsByTheirLastPart() {
        JobPlan plan = job.plan();

        assertThat(plan.target().key()).extracting(Field::column).containsExactly("city");
        assertThat(job.resolved(Map.of()).text())
                .contains("  key: [customer.address.city]\n")
                .containsPattern("#   city +text +key, customer.address.city\n")
                .contains("primary key (day, city)");
    }

    @Test
    void mayNotMeetInOneColumn() {
        assertThat(job.with("key: customer.address.city", "key: [customer.address.city, city, seller.address.day]")
                        .column("city: { count: {} }")
                        .problems())
                .satisfiesExactly(
                        two -> assertThat(two)
                                .contains("target.key[1]: 'city' and 'customer.address.city' would both be the column"
                                        + " 'city'; a key column is named by the last part of its field's path"),
                        partition -> assertThat(partition)
                                .contains("target.key[2]: 'day' is the name of the partition column too"),
                        value -> assertThat(value)
                                .contains("target.columns.city: 'city' is the name of a key column too"));
        assertThat(job.with("key: customer.address.city", "key: customer.address._pane")
                        .problems())
                .singleElement()
                .asString()
                .contains("'_pane' is one of Tidemark's own columns");
    }

    @Test
    void canBeFollowedThroughARecordThatContainsItself() {
        assertThat(job.with("key: customer.address.city", "key: customer.referrer.referrer.referrer.address.city")
                        .plan()
                        .target()
                        .key())
                .extracting(Field::column)
                .containsExactly("city");
        assertThat(job.column("net: { sum: customer.referrer.name }").problems())
                .singleElement()
                .asString()
                .endsWith("sum over field 'customer.referrer.name', which is a string; the numbers are ref.version,"
                        + " total.net");
    }

    @Test
    void areRefusedWhereThePathLeavesTheSchema() {
        assertThat(problemOfKey("customer.adress.city"))
                .isEqualTo("field 'customer.adress.city' is not in the schema: 'customer' has no 'adress'; did you mean"
                        + " 'customer.address'? fields: customer.name, customer.address, customer.referrer");
        assertThat(problemOfKey("custmer.name"))
                .startsWith("field 'custmer.name' is not in the schema: it has no 'custmer'; did you mean 'customer'?"
                        + " fields: ref, meta, ");
        assertThat(problemOfKey("city.name"))
                .isEqualTo(
                        "field 'city.name' is not in the schema: 'city' is a string; a path leads through records, or"
                                + " unions of one record with null");
        assertThat(problemOfKey("either.id"))
                .startsWith("field 'either.id' is not in the schema: 'either' is a union of record, record; ");
        assertThat(problemOfKey("customer.address"))
                .isEqualTo("field 'customer.address' is a record, which a job cannot read; expected one of its fields:"
                        + " customer.address.city, customer.address.day, customer.address._pane");
        for (String odd : new String[] {"customer.", ".city", "customer..name", "."}) {
            assertThat(problemOfKey("\"" + odd + "\"")).startsWith("field '" + odd + "' is not in the schema");
        }
    }

    private String problemOfKey(String key) {
        String prefix = "21: target.key: ";
        assertThat(job.with("key: customer.address.city", "key: " + key).problems())
                .hasSize(1);
        String problem =
                job.with("key: customer.address.city", "key: " + key).problems().get(0);
        assertThat(problem).startsWith(prefix);
        return problem.substring(prefix.length());
    }
}
