package dev.tidemark.kit;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real Kafka broker of one node, on a free port, with its data in a folder of its own: in this process, or in one of its own.
 * It can be stopped and started again with what it holds.
 */
public final class KafkaBroker implements BeforeAllCallback, AfterAllCallback {
    private static final long PATIENCE_SECONDS = 60;

    private final int port;
    private final int controllerPort = freePort();
    private @Nullable Path folder;
    private final boolean hasOwnProcess;
    private @Nullable KafkaRaftServer server;
    private @Nullable Process process;
    private @Nullable Admin admin;
    private @Nullable KafkaProducer<byte[], byte[]> producer;

    /** A broker in this process. */
    public KafkaBroker() {
        this(freePort(), false);
    }

    private KafkaBroker(int port, boolean hasOwnProcess) {
        this.port = port;
        this.hasOwnProcess = hasOwnProcess;
    }

    /** A broker in a process of its own, which can be killed. */
    public static KafkaBroker inItsOwnProcess() {
        return new KafkaBroker(freePort(), true);
    }

    /** A broker that somebody else has started and will end; it is not to be registered as an extension. */
    public static KafkaBroker at(int port) {
        return new KafkaBroker(port, false);
    }

    /** Ends the clients. */
    public void closeClients() {
        if (producer != null) {
            producer.close(java.time.Duration.ZERO);
            producer = null;
        }
        if (admin != null) {
            admin.close(java.time.Duration.ZERO);
            admin = null;
        }
    }

    @Override
    public void beforeAll(@Nullable ExtensionContext context) throws Exception {
        Path data = Files.createTempDirectory("kafka");
        folder = data;
        Path file = data.resolve("server.properties");
        try (OutputStream out = Files.newOutputStream(file)) {
            settings().store(out, null);
        }
        int status = StorageTool.execute(
                new String[] {"format", "-t", Uuid.randomUuid().toString(), "-c", file.toString()},
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        if (status != 0) {
            throw new IOException("the broker's folder cannot be formatted: " + status);
        }
        start();
    }

    @Override
    public void afterAll(@Nullable ExtensionContext context) throws Exception {
        closeClients();
        stop();
        if (folder != null) {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path each, @Nullable IOException failure) throws IOException {
                    Files.delete(each);
                    return FileVisitResult.CONTINUE;
                }
            });
        }
    }

    /** Starts the broker, or starts it again with what it held. */
    public void start() throws Exception {
        if (hasOwnProcess) {
            Process started = new ProcessBuilder(
                            ProcessHandle.current().info().command().orElse("java"),
                            "-Xmx256m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                            "kafka.Kafka",
                            folder + "/server.properties")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(new File(folder + "/output.txt")))
                    .start();
            // not to outlive a test that is broken off
            Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
            process = started;
            admin().describeCluster().nodes().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return;
        }
        Properties settings = settings();
        KafkaRaftServer started = new KafkaRaftServer(new KafkaConfig(settings, false), Time.SYSTEM);
        started.startup();
        server = started;
    }

    /** Kills the broker in its own process, without warning. What it holds stays. */
    public void kill() throws InterruptedException {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().waitFor();
            process = null;
        }
    }

    /** Stops the broker. What it holds stays. */
    public void stop() throws InterruptedException {
        kill();
        KafkaRaftServer running = server;
        if (running != null) {
            running.shutdown();
            running.awaitShutdown();
            server = null;
        }
    }

    /** Where clients find it. */
    public String bootstrapServers() {
        return "localhost:" + port;
    }

    public void createTopic(String topic, int partitions) throws Exception {
        createTopic(topic, partitions, Map.of());
    }

    public void createTopic(String topic, int partitions, Map<String, String> settings) throws Exception {
        admin().createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(settings)))
                .all()
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    public void deleteTopic(String topic) throws Exception {
        admin().deleteTopics(List.of(topic)).all().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Adds partitions until there are as many. */
    public void growTo(String topic, int partitions) throws Exception {
        admin().createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions)))
                .all()
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Deletes the records before an offset, as retention does. */
    public void expire(String topic, int partition, long before) throws Exception {
        admin().deleteRecords(Map.of(new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(before)))
                .all()
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Sends a record and waits until the broker has it. */
    public void send(String topic, int partition, byte @Nullable [] key, byte @Nullable [] value) throws Exception {
        send(new ProducerRecord<>(topic, partition, key, value));
    }

    public void send(String topic, int partition, String key, @Nullable String value) throws Exception {
        send(
                topic,
                partition,
                key.getBytes(StandardCharsets.UTF_8),
                value == null ? null : value.getBytes(StandardCharsets.UTF_8));
    }

    public void send(ProducerRecord<byte[], byte[]> record) throws Exception {
        producer().send(record).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Sends records, each partition's in their order, and waits until the broker has all of them. */
    public void sendAll(List<ProducerRecord<byte[], byte[]>> records) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (ProducerRecord<byte[], byte[]> record : records) {
            sent.add(producer().send(record));
        }
        for (Future<RecordMetadata> each : sent) {
            each.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** A producer of one's own, for instance with a {@code transactional.id}. */
    public KafkaProducer<byte[], byte[]> producer(Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers());
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    public Admin admin() {
        Admin open = admin;
        if (open == null) {
            open = Admin.create(Map.of("bootstrap.servers", bootstrapServers()));
            admin = open;
        }
        return open;
    }

    private KafkaProducer<byte[], byte[]> producer() {
        KafkaProducer<byte[], byte[]> open = producer;
        if (open == null) {
            open = producer(Map.of(ProducerConfig.LINGER_MS_CONFIG, 0));
            producer = open;
        }
        return open;
    }

    private Properties settings() {
        Properties settings = new Properties();
        settings.setProperty("process.roles", "broker,controller");
        settings.setProperty("node.id", "1");
        settings.setProperty("controller.quorum.voters", "1@localhost:" + controllerPort);
        settings.setProperty(
                "listeners", "PLAINTEXT://localhost:" + port + ",CONTROLLER://localhost:" + controllerPort);
        settings.setProperty("advertised.listeners", "PLAINTEXT://localhost:" + port);
        settings.setProperty("controller.listener.names", "CONTROLLER");
        settings.setProperty("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.setProperty("log.dirs", String.valueOf(folder) + "/log");
        settings.setProperty("offsets.topic.replication.factor", "1");
        settings.setProperty("offsets.topic.num.partitions", "1");
        settings.setProperty("transaction.state.log.replication.factor", "1");
        settings.setProperty("transaction.state.log.min.isr", "1");
        settings.setProperty("transaction.state.log.num.partitions", "1");
        settings.setProperty("group.initial.rebalance.delay.ms", "0");
        settings.setProperty("auto.create.topics.enable", "false");
        settings.setProperty("log.cleaner.enable", "false");
        settings.setProperty("num.network.threads", "2");
        settings.setProperty("num.io.threads", "2");
        return settings;
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
