package dev.tidemark.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A schema is asked for once; what cannot be told now is no fault of the record. */
class SchemaRegistryTest {
    private static final Duration[] SHORTLY = {Duration.ofMillis(1), Duration.ofMillis(1)};

    private final Deque<Answer> answers = new ArrayDeque<>();
    private final List<String> requests = new ArrayList<>();
    private HttpServer server;

    private record Answer(int status, String body) {}

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private synchronized void answer(HttpExchange exchange) throws IOException {
        requests.add(
                exchange.getRequestURI() + " " + exchange.getRequestHeaders().getFirst("Authorization"));
        Answer answer = answers.remove();
        byte[] body = answer.body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private SchemaRegistry registry(String user) {
        return new SchemaRegistry(
                "http://" + user + "localhost:" + server.getAddress().getPort() + "/registry", SHORTLY);
    }

    @Test
    void aSchemaIsAskedForOnceAndIsTheSameInstance() throws IOException {
        answers.add(new Answer(200, "{\"schema\": \"\\\"string\\\"\"}"));
        SchemaRegistry registry = registry("me:secret@");

        String schema = registry.schema(7L);

        assertThat(schema).isEqualTo("\"string\"");
        assertThat(registry.schema(7L)).isSameAs(schema);
        assertThat(requests).containsExactly("/registry/schemas/ids/7 Basic bWU6c2VjcmV0");
    }

    @Test
    void anUnknownIdIsNoneAndIsAskedForOnce() throws IOException {
        answers.add(new Answer(404, "{\"error_code\": 40403, \"message\": \"Schema not found\"}"));
        SchemaRegistry registry = registry("");

        assertThat(registry.schema(8L)).isNull();
        assertThat(registry.schema(8L)).isNull();
        assertThat(requests).containsExactly("/registry/schemas/ids/8 null");
    }

    @Test
    void aSchemaOfAnotherKindOrInPartsIsNone() throws IOException {
        answers.add(new Answer(200, "{\"schemaType\": \"PROTOBUF\", \"schema\": \"x\"}"));
        answers.add(new Answer(200, "{\"schema\": \"\\\"other\\\"\", \"references\": [{\"name\": \"other\"}]}"));

        assertThat(registry("").schema(1L)).isNull();
        assertThat(registry("").schema(2L)).isNull();
    }

    @Test
    void aRegistryThatFailsForAWhileIsAskedAgain() throws IOException {
        answers.add(new Answer(503, ""));
        answers.add(new Answer(429, ""));
        answers.add(new Answer(200, "{\"schema\": \"\\\"int\\\"\"}"));

        assertThat(registry("").schema(3L)).isEqualTo("\"int\"");
        assertThat(requests).hasSize(3);
    }

    @Test
    void aRegistryThatDoesNotAnswerStopsTheReaderInsteadOfRejecting() {
        String address = "http://localhost:" + server.getAddress().getPort();
        server.stop(0);

        assertThatThrownBy(() -> new SchemaRegistry(address, SHORTLY).schema(4L))
                .isInstanceOf(IOException.class)
                .hasMessage("the schema registry " + address
                        + ", asked for schema 4, cannot be reached; see source.kafka.registry");
    }

    @Test
    void aRefusedPasswordStopsTheReaderAtOnceAndIsNotShown() {
        answers.add(new Answer(401, "{}"));

        assertThatThrownBy(() -> registry("me:secret@").schema(5L))
                .hasMessageContaining("answers with status 401")
                .hasMessageNotContaining("secret");
        assertThat(requests).hasSize(1);
    }

    @Test
    void anotherServerAtTheAddressIsNotTakenForTheRegistry() {
        answers.add(new Answer(404, "{\"message\": \"no such page\"}"));

        assertThatThrownBy(() -> registry("").schema(6L)).hasMessageContaining("answers with status 404");
    }
}
