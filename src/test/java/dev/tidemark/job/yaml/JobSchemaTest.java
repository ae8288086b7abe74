package dev.tidemark.job.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobFile;
import dev.tidemark.job.Shape.Mandatory;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The JSON Schema that editors use says the same as the binder. */
class JobSchemaTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final JsonNode definition;
    private final JsonSchema schema;

    JobSchemaTest() throws IOException {
        try (InputStream in = Objects.requireNonNull(JobFile.class.getResourceAsStream("/job.schema.json"))) {
            definition = MAPPER.readTree(in);
        }
        schema = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(definition);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "src/test/resources/job/least.yaml",
                "src/test/resources/job/every-key.yaml",
                "src/test/resources/job/kafka-registry.yaml",
                "src/test/resources/job/kafka-folder.yaml",
                "src/test/resources/job/kafka-raw.yaml",
                "src/test/resources/job/history-files.yaml",
                "src/test/resources/job/history-topic.yaml",
                "src/test/resources/job/history-raw.yaml",
                "src/test/resources/job/history-folder.yaml",
                "src/test/resources/job/history-query.yaml",
                "src/test/resources/job/history-rows.yaml",
                "src/test/resources/job/identity.yaml",
                "jobs/customer-days.yaml",
                "jobs/earthquakes.yaml",
                "jobs/earthquakes-revised.yaml",
                "jobs/earthquakes-topic.yaml",
                "jobs/daily-active-users.yaml"
            })
    void aGoodFileIsValid(String file) throws IOException {
        assertThat(validate(Files.readString(Path.of(file)))).isEmpty();
    }

    @Test
    void isItselfASchemaOfItsDraft() {
        JsonSchema draft = JsonSchemaFactory.getInstance(VersionFlag.V202012)
                .getSchema(SchemaLocation.of(VersionFlag.V202012.getId()));

        assertThat(draft.validate(definition)).isEmpty();
    }

    @Test
    void hasTheKeysOfTheBinderAndNoOthers() {
        records()
                .forEach((type, described) -> assertThat(properties(described))
                        .as(type.getSimpleName())
                        .isEqualTo(Set.copyOf(Binder.keys(type))));
    }

    @Test
    void demandsWhatTheBinderDemands() {
        records().forEach((type, described) -> {
            Set<String> mandatory = Arrays.stream(type.getRecordComponents())
                    .filter(JobSchemaTest::isAlwaysMandatory)
                    .map(RecordComponent::getName)
                    .collect(Collectors.toSet());
            Set<String> required = new HashSet<>();
            described.path("required").forEach(name -> required.add(name.asText()));
            assertThat(required).as(type.getSimpleName()).isEqualTo(mandatory);
        });
    }

    private static boolean isAlwaysMandatory(RecordComponent component) {
        Mandatory mandatory = component.getAnnotation(Mandatory.class);
        return mandatory != null && mandatory.unless().isEmpty();
    }

    @Test
    void refusesOtherKeysEverywhere() {
        records()
                .forEach((type, described) -> assertThat(described.path("additionalProperties"))
                        .as(type.getSimpleName())
                        .isEqualTo(MAPPER.getNodeFactory().booleanNode(false)));
    }

    @Test
    void describesEveryKey() {
        records()
                .forEach((type, described) -> described
                        .path("properties")
                        .properties()
                        .forEach(property -> {
                            JsonNode value = property.getValue();
                            JsonNode reference =
                                    definition.at(value.path("$ref").asText("#").substring(1));
                            assertThat(value.has("description") || reference.has("description"))
                                    .as(type.getSimpleName() + "." + property.getKey())
                                    .isTrue();
                        }));
    }

    @Test
    void knowsTheWordsOfEveryEnum() {
        records().forEach((type, described) -> {
            for (RecordComponent component : type.getRecordComponents()) {
                if (component.getType().isEnum()) {
                    List<String> words = Arrays.stream(component.getType().getEnumConstants())
                            .map(constant -> ((Enum<?>) constant)
                                    .name()
                                    .toLowerCase(Locale.ROOT)
                                    .replace('_', '-'))
                            .toList();
                    assertThat(described.at("/properties/" + component.getName() + "/anyOf/0/enum"))
                            .extracting(JsonNode::asText)
                            .containsExactlyInAnyOrderElementsOf(words);
                }
            }
        });
    }

    @Test
    void aColumnHasAKeyForEveryAggregate() {
        assertThat(Binder.keys(JobFile.Column.class))
                .containsAll(
                        Arrays.stream(Aggregate.values()).map(Aggregate::word).toList());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            formatVersion: 1       | formatVersion: 2
            job: product-days      | job: Product
            grain: day             | grain: fortnight
            lookback: 3            | lookback: -1
            lookback: 3            | lookback: {because: x}
            lookback: 3            | lookback: {partitions: 3, beacuse: x}
            key: product_id        | key: {a: b}
            key: product_id        | keys: product_id
            frontier: observed     | 'frontier: observed\n  outOfOrderness: 5'
            lines: { count: {} }   | lines: { count: {a: b} }
            lines: { count: {} }   | lines: { }
            lines: { count: {} }   | lines: { sum: a, max: a }
            lines: { count: {} }   | lines: { sum: a, order: b }
            lines: { count: {} }   | lines: { where: a }
            files: { path: orders }| kafka: { topic: orders }
            files: { path: orders }| 'files: { path: orders }\n  kafka: { bootstrapServers: a, topic: b }'
            files: { path: orders }| kafka: { bootstrapServers: a, topic: b, framing: wild }
            formatVersion: 1       | 'formatVersion: 1\nhistory: table'
            formatVersion: 1       | 'formatVersion: 1\nhistory: { kind: changes }'
            formatVersion: 1       | 'formatVersion: 1\nhistory: { files: {path: a}, jdbc: {url: a, table: b} }'
            formatVersion: 1       | 'formatVersion: 1\nhistory: { jdbc: {url: a, table: b, query: c} }'
            """)
    void aBadFileIsNot(String from, String to) throws IOException {
        String text = Files.readString(JobText.RESOURCES.resolve("least.yaml"));
        assertThat(text).containsOnlyOnce(from);

        assertThat(validate(text.replace(from, to))).isNotEmpty();
    }

    private Set<ValidationMessage> validate(String yaml) {
        Object loaded = new Load(LoadSettings.builder().build()).loadFromString(yaml);
        return schema.validate(MAPPER.valueToTree(loaded));
    }

    /** Every record of the job file with the part of the schema that describes it. */
    private Map<Class<?>, JsonNode> records() {
        Map<Class<?>, JsonNode> records = new LinkedHashMap<>();
        records.put(JobFile.class, definition);
        collect(JobFile.class, records);
        return records;
    }

    private void collect(Class<?> type, Map<Class<?>, JsonNode> records) {
        for (RecordComponent component : type.getRecordComponents()) {
            Class<?> below = component.getType();
            if (component.getGenericType() instanceof ParameterizedType generic && below == Map.class) {
                below = (Class<?>) generic.getActualTypeArguments()[1];
            }
            if (below.isRecord()) {
                records.put(
                        below,
                        definition.path("$defs").path(below.getSimpleName().toLowerCase(Locale.ROOT)));
                collect(below, records);
            }
        }
    }

    private static Set<String> properties(JsonNode described) {
        Set<String> names = new HashSet<>();
        described.path("properties").fieldNames().forEachRemaining(names::add);
        return names;
    }
}
