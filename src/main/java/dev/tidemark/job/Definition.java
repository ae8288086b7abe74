package dev.tidemark.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a job was when something was written: with it, what is written says under which meaning it was.
 *
 * @param fingerprint as {@link JobSpec#fingerprint}
 * @param spec as {@link JobSpec#json}
 */
public record Definition(String job, String fingerprint, String spec) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** That of a plan. */
    public static Definition of(JobPlan plan) {
        return new Definition(plan.job(), JobSpec.fingerprint(plan), JobSpec.json(plan));
    }

    /** The lookback that it names. */
    public int lookback() {
        try {
            return MAPPER.readTree(spec).path("partition").path("lookback").asInt();
        } catch (JsonProcessingException notJson) {
            throw new IllegalArgumentException("a spec is JSON", notJson);
        }
    }

    /** Why a job cannot go on with state that was written under this definition, and the way out; null: it can. */
    public @Nullable String refusal(JobPlan plan) {
        if (!job.equals(plan.job())) {
            return "the state is of the job " + job + ", not of " + plan.job()
                    + ": restore it with the file of the job " + job + ", or start " + plan.job()
                    + " from its own savepoint or without state";
        }
        if (fingerprint.equals(JobSpec.fingerprint(plan))) {
            return null;
        }
        List<SpecDifference> differences = SpecDifference.ofTheState(spec, JobSpec.json(plan));
        return "the state was written by another definition of the job " + job
                + (differences.isEmpty()
                        ? ""
                        : " (" + differences.stream().map(SpecDifference::text).collect(Collectors.joining("; ")) + ")")
                + ", and cannot be gone on with; take the change back, or give the job and its target other names and"
                + " start it without state";
    }
}
