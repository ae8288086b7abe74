package dev.tidemark.source.kafka;

import dev.tidemark.job.KafkaPlan;
import java.util.Locale;
import java.util.Properties;
import org.apache.flink.connector.kafka.source.KafkaSourceOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.IsolationLevel;

/** What Kafka's clients are told: what the job file says, and what Tidemark's promises rest on. */
final class ClientProperties {
    /** What the end of a partition is for the reader. */
    static final IsolationLevel ISOLATION = IsolationLevel.READ_COMMITTED;

    private ClientProperties() {}

    static Properties of(KafkaPlan plan) {
        Properties properties = new Properties();
        properties.setProperty(KafkaSourceOptions.CLIENT_ID_PREFIX.key(), "tidemark-" + plan.topic());
        properties.putAll(plan.properties());
        properties.setProperty(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, plan.bootstrapServers());
        properties.setProperty(
                ConsumerConfig.ISOLATION_LEVEL_CONFIG, ISOLATION.toString().toLowerCase(Locale.ROOT));
        properties.setProperty(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        properties.setProperty(
                KafkaSourceOptions.PARTITION_DISCOVERY_INTERVAL_MS.key(), Long.toString(plan.discoverMillis()));
        return properties;
    }

    /** The properties of an Admin client beside the consumer of a reader. */
    static Properties forAdmin(KafkaPlan plan, int subtask) {
        Properties properties = of(plan);
        properties.setProperty(
                ConsumerConfig.CLIENT_ID_CONFIG,
                properties.getProperty(KafkaSourceOptions.CLIENT_ID_PREFIX.key()) + "-" + subtask + "-ends");
        return properties;
    }
}
