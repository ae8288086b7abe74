package dev.tidemark.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Plans;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** How far back a rebuild has to read, and what a history that is shorter is told. */
class RebuildRuleTest {
    private static final Calendar CALENDAR = new Calendar(Grain.DAY, ZoneOffset.UTC);
    private static final long THIRD = day("2026-09-03");
    private static final PartitionSpan SPAN = new PartitionSpan(day("2026-09-04"), day("2026-09-05"));
    private static final RebuildRule RULE = new RebuildRule(CALENDAR);

    private static long day(String date) {
        return CALENDAR.partitionFrom(LocalDate.parse(date));
    }

    private static Plans running() {
        return Plans.products().withColumn("so_far", Aggregate.RUNNING_SUM, Plans.QUANTITY);
    }

    @Test
    void whereColumnsAreLocalNothingButTheReplacedPartitionsIsComputed() {
        assertThat(RebuildRule.computed(Plans.products().plan(), SPAN)).isEqualTo(SPAN);
        assertThat(RULE.refusal("a", SPAN, SPAN, THIRD)).isNull();
    }

    @Test
    void runningColumnsNeedAllThatIsBefore() {
        PartitionSpan computed = RebuildRule.computed(running().plan(), SPAN);

        assertThat(computed).isEqualTo(new PartitionSpan(PartitionSpan.BEGINNING, SPAN.last()));
        assertThat(RULE.refusal("the topic orders", SPAN, computed, THIRD))
                .isEqualTo(
                        "the history (the topic orders) holds partitions whole from 2026-09-03 on only, and the global"
                                + " columns of the job depend on all before: name a history that reaches further back, or say by"
                                + " source.wholeFrom from where on the job's own source holds them whole");
        assertThat(RULE.refusal("the topic orders", SPAN, computed, LogCut.UNKNOWN))
                .isNull();
    }

    /** A stream whose source is whole from somewhere on has counted nothing before. */
    @Test
    void whatTheSourceDoesNotHoldWholeIsNotAddedUp() {
        JobPlan plan = running().withWholeFrom("2026-09-03").plan();
        PartitionSpan computed = RebuildRule.computed(plan, SPAN);

        assertThat(computed).isEqualTo(new PartitionSpan(THIRD, SPAN.last()));
        assertThat(RULE.refusal("a", SPAN, computed, THIRD)).isNull();
        assertThat(RULE.refusal("a", SPAN, computed, day("2026-09-04"))).contains("those from 2026-09-03 on");
    }
}
