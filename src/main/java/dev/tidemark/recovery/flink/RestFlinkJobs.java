package dev.tidemark.recovery.flink;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.recovery.FlinkJobs;
import dev.tidemark.recovery.RecoveryException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a cluster by Flink's REST interface.
 *
 * <p>All that is asked can be asked again, so a request that was not answered, or only with "not now", is repeated a few
 * times: a JobManager that restarts, or hands over to another one, is away for a moment.
 */
public final class RestFlinkJobs implements FlinkJobs {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;
    private static final int INTERNAL_ERROR = 500;
    private static final int UNAVAILABLE = 503;
    private static final int TRIES = 4;
    private static final int COPY_TRIES = 30;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final URI address;
    private final HttpClient client;

    /** @param address of the JobManager's REST interface, such as {@code http://localhost:8081} */
    public RestFlinkJobs(URI address) {
        this.address = address;
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(10))
                .build();
    }

    @Override
    public List<String> live(String name) {
        List<String> ids = new ArrayList<>();
        for (JsonNode job : required(get("/jobs/overview")).path("jobs")) {
            String id = job.path("jid").asText();
            if (job.path("name").asText().equals(name) && isLive(phase(id))) {
                ids.add(id);
            }
        }
        return ids;
    }

    private static boolean isLive(@Nullable Phase phase) {
        return phase != null && !phase.isOver();
    }

    /** Of this alone Flink keeps no copy that may be some seconds old. */
    @Override
    public @Nullable Phase phase(String flinkJob) {
        JsonNode job = get("/jobs/" + flinkJob + "/status");
        return job.isMissingNode() ? null : phaseOf(job.path("status").asText());
    }

    /** How such a cluster was told to execute what its main program builds: within itself. */
    @Override
    public boolean endsWithItsJob() {
        for (JsonNode setting : required(get("/jobmanager/config"))) {
            if (setting.path("key").asText().equals("execution.target")) {
                String target = setting.path("value").asText();
                return target.equals("embedded") || target.endsWith("-application");
            }
        }
        return false;
    }

    @Override
    public Settings settings(String flinkJob) {
        JsonNode job = required(get("/jobs/" + flinkJob));
        JsonNode checkpoints = required(get("/jobs/" + flinkJob + "/checkpoints/config"));
        // Some vertices have a parallelism of their own, which is less.
        int parallelism = StreamSupport.stream(job.path("vertices").spliterator(), false)
                .mapToInt(vertex -> vertex.path("parallelism").asInt())
                .max()
                .orElseThrow(() -> new RecoveryException("Flink job %s has no vertices", flinkJob));
        JsonNode kept = checkpoints.path("externalization");
        return new Settings(
                parallelism,
                checkpoints.path("interval").asLong(),
                checkpoints.path("timeout").asLong(),
                checkpoints.path("min_pause").asLong(),
                checkpoints.path("tolerable_failed_checkpoints").asInt(),
                kept.path("enabled").asBoolean()
                        && !kept.path("delete_on_cancellation").asBoolean(),
                backend(checkpoints.path("state_backend").asText()));
    }

    @Override
    public @Nullable String stop(String flinkJob, String trigger, @Nullable String folder) {
        ObjectNode body = MAPPER.createObjectNode()
                .put("drain", false)
                .put("formatType", "CANONICAL")
                .put("triggerId", trigger);
        if (folder != null) {
            body.put("targetDirectory", folder);
        }
        HttpResponse<String> response = response(request("/jobs/" + flinkJob + "/stop")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body.toString()))
                .build());
        if (response.statusCode() == BAD_REQUEST) {
            return error(response) + (folder == null ? "; name a folder with --savepoint-dir" : "");
        }
        // Of a job that ends at this moment nothing is found: what became of it is asked next.
        answer(response);
        return null;
    }

    @Override
    public Stop stop(String flinkJob, String trigger) {
        JsonNode answer = get("/jobs/" + flinkJob + "/savepoints/" + trigger);
        if (answer.isMissingNode()) {
            return new Stop.Unknown();
        }
        if (!answer.path("status").path("id").asText().equals("COMPLETED")) {
            return new Stop.UnderWay();
        }
        JsonNode outcome = answer.path("operation");
        String savepoint = outcome.path("location").asText("");
        return savepoint.isEmpty()
                ? new Stop.Failed(
                        cause(outcome.path("failure-cause").path("stack-trace").asText("")))
                : new Stop.Stopped(savepoint);
    }

    /** What Flink tells of checkpoints comes from a copy that it makes anew after some seconds: none may mean not yet. */
    @Override
    public @Nullable String savepoint(String flinkJob) {
        String savepoint = newestSavepoint(flinkJob);
        if (savepoint != null || get("/jobs/" + flinkJob).isMissingNode()) {
            return savepoint;
        }
        pause(Duration.ofMillis(get("/config").path("refresh-interval").asLong())
                .plus(PAUSE));
        return newestSavepoint(flinkJob);
    }

    private @Nullable String newestSavepoint(String flinkJob) {
        JsonNode latest =
                get("/jobs/" + flinkJob + "/checkpoints").path("latest").path("savepoint");
        boolean isOfAStop = latest.path("checkpoint_type").asText().equals("SYNC_SAVEPOINT")
                && latest.path("status").asText().equals("COMPLETED");
        String path = latest.path("external_path").asText("");
        return isOfAStop && !path.isEmpty() ? path : null;
    }

    /** What Flink tells of a job comes from such a copy as well: it must be one of the job's end. */
    private void awaitPresentCopy(String flinkJob) {
        for (int tried = 0; tried < COPY_TRIES; tried++) {
            if (phaseOf(get("/jobs/" + flinkJob).path("state").asText()).isOver()) {
                return;
            }
            pause(PAUSE);
        }
    }

    @Override
    public String failure(String flinkJob) {
        awaitPresentCopy(flinkJob);
        JsonNode answer = get("/jobs/" + flinkJob + "/exceptions");
        String history = answer.path("exceptionHistory")
                .path("entries")
                .path(0)
                .path("stacktrace")
                .asText("");
        return cause(history.isEmpty() ? answer.path("root-exception").asText("") : history);
    }

    // --------------------------------------------------------------------------------------------------------- http

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(address.resolve(path)).timeout(PATIENCE);
    }

    /** The answer; missing if there is no such thing. */
    private JsonNode get(String path) {
        return send(request(path).GET().build());
    }

    private JsonNode required(JsonNode answer) {
        if (answer.isMissingNode()) {
            throw new RecoveryException(
                    "%s does not answer as Flink does: is it the address of a JobManager?", address);
        }
        return answer;
    }

    private JsonNode send(HttpRequest request) {
        return answer(response(request));
    }

    private HttpResponse<String> response(HttpRequest request) {
        for (int tried = 1; ; tried++) {
            HttpResponse<String> response = null;
            try {
                response = client.send(request, BodyHandlers.ofString());
            } catch (IOException unreachable) {
                if (tried >= TRIES) {
                    throw new RecoveryException(
                            "no Flink answers at " + address + " (" + said(unreachable)
                                    + "): check --flink and whether the JobManager runs",
                            unreachable);
                }
            } catch (InterruptedException interrupted) {
                throw interrupted(interrupted);
            }
            if (response != null && (response.statusCode() != UNAVAILABLE || tried >= TRIES)) {
                return response;
            }
            pause(PAUSE);
        }
    }

    private JsonNode answer(HttpResponse<String> response) {
        if (response.statusCode() == NOT_FOUND) {
            return MissingNode.getInstance();
        }
        // Asked for the status of a job that it does not know, Flink takes that for a fault of its own.
        if (response.statusCode() == INTERNAL_ERROR && response.body().contains("FlinkJobNotFoundException")) {
            return MissingNode.getInstance();
        }
        if (response.statusCode() / 100 != 2) {
            throw new RecoveryException(
                    "Flink at %s refuses %s %s: %s",
                    address,
                    response.request().method(),
                    response.request().uri().getPath(),
                    error(response));
        }
        return parsed(response.body());
    }

    private static String error(HttpResponse<String> response) {
        JsonNode error = parsed(response.body()).path("errors").path(0);
        return error.isMissingNode() ? "status " + response.statusCode() : cause(error.asText());
    }

    private static JsonNode parsed(String body) {
        try {
            return MAPPER.readTree(body);
        } catch (JsonProcessingException none) {
            return MissingNode.getInstance();
        }
    }

    private static void pause(Duration pause) {
        try {
            Thread.sleep(pause.toMillis());
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        }
    }

    private static RecoveryException interrupted(InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return new RecoveryException("interrupted while waiting for Flink", interrupted);
    }

    // -------------------------------------------------------------------------------------------------------- words

    private static String said(IOException failure) {
        String message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : message;
    }

    private static Phase phaseOf(String state) {
        return switch (state) {
            case "RUNNING" -> Phase.RUNNING;
            case "FINISHED" -> Phase.FINISHED;
            case "CANCELED" -> Phase.CANCELED;
            case "FAILED" -> Phase.FAILED;
            default -> Phase.CHANGING;
        };
    }

    private static @Nullable String backend(String className) {
        return switch (className) {
            case "HashMapStateBackend" -> "hashmap";
            case "EmbeddedRocksDBStateBackend" -> "rocksdb";
            default -> null;
        };
    }

    /** The innermost cause of a stack trace, without the names of classes that only wrap. */
    public static String cause(String trace) {
        String last = "";
        for (String line : trace.lines().toList()) {
            if (line.startsWith("Caused by: ")) {
                last = line.substring("Caused by: ".length());
            } else if (last.isEmpty() && !line.isBlank()) {
                last = line.trim();
            }
        }
        return last.isEmpty() ? "no reason given" : last;
    }
}
