package dev.tidemark.cli;

import dev.tidemark.change.avro.Decoders;
import dev.tidemark.database.ConnectionSettings;
import dev.tidemark.database.Connections;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobSpec;
import dev.tidemark.pipeline.Ports;
import dev.tidemark.pipeline.Topology;
import dev.tidemark.publish.Progress;
import dev.tidemark.publish.jdbc.Initialization;
import dev.tidemark.publish.jdbc.JdbcProgress;
import dev.tidemark.publish.jdbc.JdbcSkippedFiles;
import dev.tidemark.publish.jdbc.JdbcStage;
import dev.tidemark.publish.jdbc.JdbcWarehouse;
import java.util.Map;

/** The composition root: which door stands behind which port. */
final class Wiring {
    private final Connections connections;

    Wiring(ConnectionSettings settings) {
        this.connections = Connections.to(settings);
    }

    Connections connections() {
        return connections;
    }

    /** Makes the warehouse ready for a job. */
    void prepare(JobPlan plan) {
        new Initialization(connections, plan).run(JobSpec.json(plan), null);
    }

    /** The job as a Flink topology. Its target must be there. */
    Topology topology(JobPlan plan, String submission) {
        Map<String, Integer> columnLengths = new Initialization(connections, plan).textLimits();
        Ports ports = new Ports(
                new Decoders(),
                JdbcStage.factory(connections, plan),
                JdbcWarehouse.factory(connections, plan),
                JdbcWarehouse.publishedPositions(connections, plan.job()),
                new JdbcSkippedFiles(plan.job(), connections));
        return new Topology(plan, ports, submission, columnLengths);
    }

    Progress.Reader progress(JobPlan plan) {
        return new JdbcProgress(plan.job(), connections);
    }
}
