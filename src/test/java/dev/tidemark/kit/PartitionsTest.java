package dev.tidemark.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Grain;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class PartitionsTest {

    @Test
    void aDayMayHaveTwentyThreeOrTwentyFiveHours() {
        Partitions days = new Partitions(Grain.DAY, ZoneId.of("America/New_York"));
        long autumn = days.number(Instant.parse("2018-11-04T04:00:00Z"));
        assertThat(days.text(autumn)).isEqualTo("2018-11-04");
        assertThat(days.number(Instant.parse("2018-11-05T04:59:59Z"))).isEqualTo(autumn);
        assertThat(days.start(autumn + 1)).isEqualTo("2018-11-05T05:00:00Z");
        long spring = days.number(Instant.parse("2019-03-10T05:00:00Z"));
        assertThat(days.number(Instant.parse("2019-03-11T03:59:59Z"))).isEqualTo(spring);
        assertThat(days.start(spring + 1)).isEqualTo("2019-03-11T04:00:00Z");
    }

    @Test
    void aDayWhoseMidnightDoesNotExistBeginsLater() {
        Partitions days = new Partitions(Grain.DAY, ZoneId.of("America/Sao_Paulo"));
        long day = days.number(Instant.parse("2018-11-04T03:00:00Z"));
        assertThat(days.text(day)).isEqualTo("2018-11-04");
        assertThat(days.text(days.number(Instant.parse("2018-11-04T02:59:59Z"))))
                .isEqualTo("2018-11-03");
        assertThat(days.start(day)).isEqualTo("2018-11-04T03:00:00Z");
    }

    @Test
    void aDateThatNeverOccurredCounts() {
        Partitions days = new Partitions(Grain.DAY, ZoneId.of("Pacific/Apia"));
        long before = days.number(Instant.parse("2011-12-30T09:59:59Z"));
        long after = days.number(Instant.parse("2011-12-30T10:00:00Z"));
        assertThat(days.text(before)).isEqualTo("2011-12-29");
        assertThat(days.text(before + 1)).isEqualTo("2011-12-30");
        assertThat(days.text(after)).isEqualTo("2011-12-31");
        assertThat(after - before).isEqualTo(2);
    }

    @Test
    void aWeekIsItsMondayAndAMonthItsFirstDay() {
        Partitions weeks = new Partitions(Grain.WEEK, ZoneId.of("UTC"));
        assertThat(weeks.text(weeks.number(Instant.parse("2024-03-03T23:59:59Z"))))
                .isEqualTo("2024-02-26");
        assertThat(weeks.text(weeks.number(Instant.parse("2024-03-04T00:00:00Z"))))
                .isEqualTo("2024-03-04");
        assertThat(weeks.text(weeks.number(Instant.parse("1969-12-31T00:00:00Z"))))
                .isEqualTo("1969-12-29");
        Partitions months = new Partitions(Grain.MONTH, ZoneId.of("Asia/Kathmandu"));
        long february = months.number(Instant.parse("2024-01-31T18:15:00Z"));
        assertThat(months.text(february)).isEqualTo("2024-02-01");
        assertThat(months.text(february - 2)).isEqualTo("2023-12-01");
        assertThat(months.text(months.number(Instant.parse("2024-01-31T18:14:59Z"))))
                .isEqualTo("2024-01-01");
    }

    @Test
    void aRepeatedHourIsTwo() {
        Partitions hours = new Partitions(Grain.HOUR, ZoneId.of("America/New_York"));
        long first = hours.number(Instant.parse("2018-11-04T05:59:59Z"));
        long second = hours.number(Instant.parse("2018-11-04T06:00:00Z"));
        assertThat(second).isEqualTo(first + 1);
        assertThat(hours.text(first)).isEqualTo(inUtc("2018-11-04T01:00:00-04:00"));
        assertThat(hours.text(second)).isEqualTo(inUtc("2018-11-04T01:00:00-05:00"));
        assertThat(hours.text(first - 1)).isEqualTo(inUtc("2018-11-04T00:00:00-04:00"));
        assertThat(hours.text(second + 1)).isEqualTo(inUtc("2018-11-04T02:00:00-05:00"));
    }

    @Test
    void anHourOfADayIsOneOfTwentyThreeOrTwentyFive() {
        Partitions hours = new Partitions(Grain.HOUR, ZoneId.of("America/New_York"));
        assertThat(hours.numberOfDate(LocalDate.of(2018, 11, 5)) - hours.numberOfDate(LocalDate.of(2018, 11, 4)))
                .isEqualTo(25);
        assertThat(hours.numberOfDate(LocalDate.of(2019, 3, 11)) - hours.numberOfDate(LocalDate.of(2019, 3, 10)))
                .isEqualTo(23);
    }

    @Test
    void aTransitionInsideAnHourBeginsANewOne() {
        Partitions hours = new Partitions(Grain.HOUR, ZoneId.of("Australia/Lord_Howe"));
        long one = hours.number(Instant.parse("2018-03-31T14:59:59Z"));
        assertThat(hours.text(one)).isEqualTo(inUtc("2018-04-01T01:00:00+11:00"));
        assertThat(hours.text(one + 1)).isEqualTo(inUtc("2018-04-01T01:30:00+10:30"));
        assertThat(hours.text(one + 2)).isEqualTo(inUtc("2018-04-01T02:00:00+10:30"));
        assertThat(hours.number(Instant.parse("2018-03-31T15:00:00Z"))).isEqualTo(one + 1);
        assertThat(hours.number(Instant.parse("2018-03-31T15:29:59Z"))).isEqualTo(one + 1);
        assertThat(hours.number(Instant.parse("2018-03-31T15:30:00Z"))).isEqualTo(one + 2);

        long spring = hours.number(Instant.parse("2018-10-06T15:29:59Z"));
        assertThat(hours.text(spring)).isEqualTo(inUtc("2018-10-07T01:00:00+10:30"));
        assertThat(hours.text(spring + 1)).isEqualTo(inUtc("2018-10-07T02:30:00+11:00"));
        assertThat(hours.text(spring + 2)).isEqualTo(inUtc("2018-10-07T03:00:00+11:00"));
    }

    @Test
    void hoursFollowTheLocalClockAtAQuarterToo() {
        Partitions hours = new Partitions(Grain.HOUR, ZoneId.of("Asia/Kathmandu"));
        long hour = hours.number(Instant.parse("2024-01-01T00:15:00Z"));
        assertThat(hours.text(hour)).isEqualTo(inUtc("2024-01-01T06:00:00+05:45"));
        assertThat(hours.number(Instant.parse("2024-01-01T00:14:59Z"))).isEqualTo(hour - 1);
        long last = hours.number(Instant.parse("1985-12-31T18:29:59Z"));
        assertThat(hours.text(last)).isEqualTo(inUtc("1985-12-31T23:00:00+05:30"));
        assertThat(hours.text(last + 1)).isEqualTo(inUtc("1986-01-01T00:15:00+05:45"));
        assertThat(hours.text(last + 2)).isEqualTo(inUtc("1986-01-01T01:00:00+05:45"));
    }

    @Test
    void everyHourBeginsWhereTheOneBeforeItEnds() {
        for (String zone : ZoneId.getAvailableZoneIds()) {
            Partitions hours = new Partitions(Grain.HOUR, ZoneId.of(zone));
            for (String time : new String[] {"0001-01-01T00:00:00Z", "1911-03-11T00:00:00Z", "2024-03-30T22:10:00Z"}) {
                long number = hours.number(Instant.parse(time));
                for (long n = number; n < number + 5; n++) {
                    assertThat(hours.number(hours.start(n))).isEqualTo(n);
                    assertThat(hours.number(hours.start(n).minusNanos(1))).isEqualTo(n - 1);
                }
            }
        }
    }

    private static String inUtc(String local) {
        return OffsetDateTime.parse(local).toInstant().toString();
    }
}
