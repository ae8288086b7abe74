package dev.tidemark.job;

import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.KafkaPlan.Framing;
import dev.tidemark.job.KafkaPlan.Startup;
import dev.tidemark.job.WriterSchemas.Known;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Resolves {@code source.kafka} and {@code history.kafka}. */
final class KafkaResolver {
    static final String STARTUP_FORMS = "earliest, latest or an instant such as 2026-11-01T00:00:00Z";
    static final String REGISTRY_FORMS = "the address of a schema registry, such as http://registry:8081";

    private static final Pattern SERVER = Pattern.compile("(\\w+://)?(\\[[0-9A-Fa-f:.]+]|[^\\s:\\[\\]]+):\\d{1,5}");
    private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");
    private static final Pattern SCHEMA_ID = Pattern.compile("[0-9]{1,10}");

    /** What the job file or the job itself decides, by the client's property: the way out for each. */
    private static final Map<String, String> OWNED = owned();

    private final String path;
    private final WriterSchemas schemas;
    private final Problems problems;

    /** @param path of the topic's keys in the job file */
    KafkaResolver(String path, WriterSchemas schemas, Problems problems) {
        this.path = path;
        this.schemas = schemas;
        this.problems = problems;
    }

    private static Map<String, String> owned() {
        Map<String, String> owned = new LinkedHashMap<>();
        owned.put("bootstrap.servers", "write it as bootstrapServers");
        owned.put("auto.offset.reset", "write where to begin as startup; a position that is gone stops the job");
        owned.put("enable.auto.commit", "remove it: positions rest in checkpoints and in the warehouse");
        owned.put("isolation.level", "remove it: only committed records are read");
        owned.put("key.deserializer", "remove it: Tidemark decodes the bytes itself");
        owned.put("value.deserializer", "remove it: Tidemark decodes the bytes itself");
        owned.put("interceptor.classes", "remove it: the reader has an interceptor of its own");
        owned.put("partition.discovery.interval.ms", "write it as discover");
        owned.put("allow.auto.create.topics", "remove it: a topic that is not there is not created");
        return owned;
    }

    /** The plan; null if something is missing or wrong, which the problems say. */
    @Nullable
    KafkaPlan resolve(JobFile.Kafka kafka, @Nullable Format format, long discoverMillis) {
        bootstrapServers(kafka.bootstrapServers());
        topic(kafka.topic());
        Framing framing = framing(kafka.framing(), format);
        String writerSchema = writerSchema(kafka, framing);
        Map<Long, String> known = known(kafka, framing, format);
        String registry = registry(kafka, framing);
        Map<String, String> properties = properties(kafka.properties());
        Start start = startup(kafka.startup());
        if (kafka.bootstrapServers() == null || kafka.topic() == null || start == null || known == null) {
            return null;
        }
        return new KafkaPlan(
                kafka.bootstrapServers(),
                kafka.topic(),
                framing,
                writerSchema,
                known,
                registry,
                start.startup(),
                start.millis(),
                properties,
                discoverMillis);
    }

    private void bootstrapServers(@Nullable String servers) {
        if (servers == null) {
            return;
        }
        for (String server : servers.split(",", -1)) {
            if (!SERVER.matcher(server.strip()).matches()) {
                problems.wrong(
                        path + ".bootstrapServers",
                        "'" + server.strip() + "' is no address of a broker",
                        "expected host:port, several with commas between them");
            }
        }
    }

    private void topic(@Nullable String topic) {
        if (topic != null && (!TOPIC.matcher(topic).matches() || topic.equals(".") || topic.equals(".."))) {
            problems.wrong(
                    path + ".topic",
                    "'" + topic + "' is no name of a topic",
                    "expected at most 249 letters, digits, dots, underscores and hyphens");
        }
    }

    private @Nullable Framing framing(@Nullable Framing written, @Nullable Format format) {
        String place = path + ".framing";
        if (format == Format.JSON && written != null) {
            problems.wrong(place, "JSON values have no framing", "remove framing, or choose format avro");
            return null;
        }
        if (format == Format.AVRO && written == null) {
            problems.missing(place, "expected raw, single_object or confluent".replace('_', '-'));
        }
        return written;
    }

    private @Nullable String writerSchema(JobFile.Kafka kafka, @Nullable Framing framing) {
        if (kafka.writerSchema() != null && framing != Framing.RAW) {
            problems.wrong(
                    path + ".writerSchema",
                    "only framing raw has one writer schema for all values",
                    "remove it, or choose framing raw");
        }
        return schemas.writer() == null ? null : schemas.writer().json();
    }

    /** The schemas by fingerprint or id. */
    private @Nullable Map<Long, String> known(JobFile.Kafka kafka, @Nullable Framing framing, @Nullable Format format) {
        String place = path + ".schemas";
        Map<Long, String> known = new LinkedHashMap<>();
        List<Known> folder = schemas.folder();
        if (framing == null || framing == Framing.RAW) {
            boolean isWanting = framing == null && format != Format.JSON;
            if (kafka.schemas() != null && !isWanting) {
                problems.wrong(place, "values without a framing name no schema", "remove it");
            }
            return known;
        }
        if (kafka.schemas() != null && folder == null) {
            return null;
        }
        if (framing == Framing.SINGLE_OBJECT) {
            Known reader = schemas.reader();
            if (reader != null) {
                known.put(reader.fingerprint(), reader.json());
            }
            byFingerprint(folder == null ? List.of() : folder, known);
            return known;
        }
        for (Known schema : folder == null ? List.<Known>of() : folder) {
            if (!SCHEMA_ID.matcher(schema.name()).matches() || Long.parseLong(schema.name()) > Integer.MAX_VALUE) {
                problems.wrong(
                        place,
                        "'" + schema.name() + ".avsc' names no schema id",
                        "with framing confluent the files are called after the ids, such as 17.avsc");
                continue;
            }
            known.put(Long.parseLong(schema.name()), schema.json());
        }
        return known;
    }

    /** A schema of the folder says more of the writer than the reader schema of the same fingerprint. */
    private void byFingerprint(List<Known> folder, Map<Long, String> known) {
        Map<Long, Known> named = new LinkedHashMap<>();
        for (Known schema : folder) {
            Known other = named.putIfAbsent(schema.fingerprint(), schema);
            if (other != null && !other.json().equals(schema.json())) {
                problems.wrong(
                        path + ".schemas",
                        "'" + other.name() + ".avsc' and '" + schema.name() + ".avsc' differ, but have one fingerprint",
                        "Avro's fingerprint knows no logical types, defaults and aliases: keep the one that was written"
                                + " with");
            }
            known.put(schema.fingerprint(), schema.json());
        }
    }

    private @Nullable String registry(JobFile.Kafka kafka, @Nullable Framing framing) {
        String place = path + ".registry";
        String registry = kafka.registry();
        if (framing == Framing.CONFLUENT && (registry == null) == (kafka.schemas() == null)) {
            problems.wrong(
                    path,
                    registry == null
                            ? "framing confluent needs a registry, or a folder with its schemas"
                            : "has a registry and a folder of schemas",
                    "write one of registry and schemas");
        }
        if (registry == null) {
            return null;
        }
        if (framing != Framing.CONFLUENT) {
            problems.wrong(place, "only framing confluent has a registry", "remove it, or choose framing confluent");
        }
        try {
            URI uri = new URI(registry);
            if (("http".equals(uri.getScheme()) || "https".equals(uri.getScheme())) && uri.getHost() != null) {
                return registry.endsWith("/") ? registry.substring(0, registry.length() - 1) : registry;
            }
        } catch (URISyntaxException e) {
            // said below
        }
        problems.wrong(place, "'" + Redaction.of(registry) + "' is no address", "expected " + REGISTRY_FORMS);
        return null;
    }

    private Map<String, String> properties(@Nullable Map<String, String> written) {
        if (written == null) {
            return Map.of();
        }
        for (String name : written.keySet()) {
            String wayOut = OWNED.get(name);
            if (wayOut != null) {
                problems.wrong(path + ".properties." + name, "is not for a job file to set", wayOut);
            }
        }
        return new LinkedHashMap<>(written);
    }

    private @Nullable Start startup(@Nullable String written) {
        if (written == null || written.equals("earliest")) {
            return new Start(Startup.EARLIEST, 0);
        }
        if (written.equals("latest")) {
            return new Start(Startup.LATEST, 0);
        }
        try {
            Instant instant = OffsetDateTime.parse(written).toInstant();
            return new Start(Startup.TIMESTAMP, instant.toEpochMilli());
        } catch (DateTimeParseException e) {
            problems.wrong(path + ".startup", "'" + written + "' is not allowed", "expected " + STARTUP_FORMS);
            return null;
        }
    }

    private record Start(Startup startup, long millis) {}
}
