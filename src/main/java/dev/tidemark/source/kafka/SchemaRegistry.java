package dev.tidemark.source.kafka;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The schemas of a registry, over HTTP, each asked for once: an id means the same for ever. A registry that does not answer
 * is asked again for a while; then the reader fails, since nothing is known to be wrong with the record.
 */
final class SchemaRegistry implements ConfluentFraming.Lookup {
    /** How long to wait after each attempt that failed; the last attempt follows the last pause. */
    static final Duration[] PATIENCE = {
        Duration.ofMillis(200), Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(5)
    };

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int UNKNOWN_KEPT = 10_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final URI address;
    private final @Nullable String authorization;
    private final Duration[] pauses;
    private final HttpClient client;
    private final Map<Long, String> schemas = new HashMap<>();
    /** Ids that mean nothing, so that many poison records are not as many questions. */
    private final Map<Long, Boolean> unknown = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > UNKNOWN_KEPT;
        }
    };

    /** @param address may hold user and password */
    SchemaRegistry(String address, Duration[] pauses) {
        URI written = URI.create(address);
        String user = written.getUserInfo();
        this.address = withoutUser(written);
        this.authorization = user == null
                ? null
                : "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
        this.pauses = pauses.clone();
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(TIMEOUT)
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
    }

    @Override
    public @Nullable String schema(Long id) throws IOException {
        String known = schemas.get(id);
        if (known != null || unknown.containsKey(id)) {
            return known;
        }
        String found = ask(id);
        if (found == null) {
            unknown.put(id, true);
        } else {
            schemas.put(id, found);
        }
        return found;
    }

    private @Nullable String ask(long id) throws IOException {
        for (int attempt = 0; ; attempt++) {
            String problem;
            try {
                HttpResponse<String> answer = client.send(request(id), HttpResponse.BodyHandlers.ofString());
                int status = answer.statusCode();
                if (status == 200) {
                    return avro(answer.body());
                }
                if (status == 404 && isAboutTheSchema(answer.body())) {
                    return null;
                }
                problem = "answers with status " + status;
                if (status < 500 && status != 429) {
                    throw new IOException(message(id, problem));
                }
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new IOException(message(id, "was not waited for: interrupted"));
            } catch (JsonProcessingException e) {
                throw new IOException(message(id, "answers with what is no JSON"));
            } catch (java.net.ConnectException | java.net.http.HttpTimeoutException e) {
                problem = "cannot be reached";
            }
            if (attempt == pauses.length) {
                throw new IOException(message(id, problem));
            }
            pause(pauses[attempt]);
        }
    }

    private HttpRequest request(long id) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + "/schemas/ids/" + id))
                .timeout(TIMEOUT)
                .header("Accept", "application/vnd.schemaregistry.v1+json, application/json")
                .GET();
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        return request.build();
    }

    /** A schema of another kind, or one in several parts, is none that a value can be read with. */
    private static @Nullable String avro(String body) throws JsonProcessingException {
        JsonNode answer = MAPPER.readTree(body);
        boolean isAvro = answer.path("schemaType").asText("AVRO").equals("AVRO");
        boolean isWhole = answer.path("references").isEmpty();
        JsonNode schema = answer.path("schema");
        return isAvro && isWhole && schema.isTextual() ? schema.asText() : null;
    }

    /** 40403 says that the registry has no such schema; any other 404 that something else is at the address. */
    private static boolean isAboutTheSchema(String body) throws JsonProcessingException {
        return MAPPER.readTree(body).path("error_code").asInt() == 40403;
    }

    private String message(long id, String problem) {
        return "the schema registry " + address + ", asked for schema " + id + ", " + problem
                + "; see source.kafka.registry";
    }

    private static void pause(Duration pause) throws IOException {
        try {
            Thread.sleep(pause.toMillis());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for the schema registry");
        }
    }

    private static URI withoutUser(URI address) {
        try {
            return new URI(
                    address.getScheme(),
                    null,
                    address.getHost(),
                    address.getPort(),
                    address.getPath(),
                    address.getQuery(),
                    null);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("the address of the schema registry is no URI", e);
        }
    }
}
