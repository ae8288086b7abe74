package dev.tidemark.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class CopyTextTest {
    private static final DateTimeFormatter TIMESTAMP = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS");
    private final CopyText out = new CopyText();

    @Test
    void numbersAreWrittenAsJavaWritesThem() {
        Random random = new Random(20_240_310);
        for (int i = 0; i < 20_000; i++) {
            long value = i < 4
                    ? new long[] {Long.MIN_VALUE, Long.MAX_VALUE, 0, -1}[i]
                    : random.nextLong() >> random.nextInt(Long.SIZE);
            int scale = random.nextInt(19);
            out.clear();
            out.integer(value).decimal(value, scale).decimal(value, -2).endRow();
            assertThat(out.toString())
                    .isEqualTo(value + "\t" + BigDecimal.valueOf(value, scale).toPlainString() + "\t"
                            + BigDecimal.valueOf(value, -2).toPlainString() + "\n");
        }
    }

    @Test
    void timesAreWrittenAsJavaWritesThem() {
        Random random = new Random(20_240_311);
        long first = LocalDate.of(1, 1, 1).toEpochDay();
        long days = LocalDate.of(9999, 12, 31).toEpochDay() - first + 1;
        for (int i = 0; i < 20_000; i++) {
            long day = first + (long) (random.nextDouble() * days);
            long micros = (long) (random.nextDouble() * 86_400_000_000L) / 10 * 10 + 1;
            LocalDateTime time = LocalDate.ofEpochDay(day).atTime(LocalTime.ofNanoOfDay(micros * 1000));
            String text = TIMESTAMP.format(time);
            out.clear();
            long instant = day * 86_400_000_000L + micros;
            out.date(day).localTimestamp(instant).instant(instant).time(micros).endRow();
            assertThat(out.toString())
                    .isEqualTo(LocalDate.ofEpochDay(day) + "\t" + text + "\t" + text + "+00\t" + text.substring(11)
                            + "\n");
            assertThat(time.toEpochSecond(ZoneOffset.UTC)).isEqualTo(Math.floorDiv(instant, 1_000_000L));
        }
        out.clear();
        out.date(LocalDate.of(0, 2, 29).toEpochDay());
        assertThat(out.toString()).isEqualTo("0001-02-29 BC");
    }

    @Test
    void textIsEscapedAndNullsAreNotText() {
        UUID uuid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
        byte[] bytes = java.nio.ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
        out.text("a\tb\nc\rd\\N")
                .text((String) null)
                .nothing()
                .text("")
                .bool(true)
                .uuid(bytes, 0)
                .bytes(bytes, 15, 1);
        out.endRow();
        assertThat(out.toString()).isEqualTo("a\\tb\\nc\\rd\\\\N\t\\N\t\\N\t\tt\t" + uuid + "\t\\\\xff\n");
        assertThat(out.rows()).isEqualTo(1);
    }
}
