package dev.tidemark.database;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Rows in the text format of COPY, collected in one growing buffer: values separated by tabs, rows ended by a newline.
 * Reused from batch to batch.
 */
public final class CopyText {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final long DAY_MICROS = 86_400_000_000L;

    private byte[] buffer = new byte[8192];
    private int size;
    private boolean inRow;
    private long rows;

    /** Bytes collected. */
    public int size() {
        return size;
    }

    /** Rows collected. */
    public long rows() {
        return rows;
    }

    /** What has been collected. */
    @Override
    public String toString() {
        return new String(buffer, 0, size, StandardCharsets.UTF_8);
    }

    public void clear() {
        size = 0;
        rows = 0;
        inRow = false;
    }

    /** Sends the rows with a {@code copy ... from stdin} statement, and keeps them. */
    public void send(Connection connection, String copy) throws SQLException {
        CopyIn in = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(copy);
        try {
            for (int at = 0; at < size; at += 64 * 1024) {
                in.writeToCopy(buffer, at, Math.min(64 * 1024, size - at));
            }
            in.endCopy();
        } catch (SQLException failure) {
            cancel(in, failure);
            throw failure;
        }
    }

    private static void cancel(CopyIn in, SQLException failure) {
        try {
            if (in.isActive()) {
                in.cancelCopy();
            }
        } catch (SQLException second) {
            failure.addSuppressed(second);
        }
    }

    public void endRow() {
        put('\n');
        inRow = false;
        rows++;
    }

    public CopyText nothing() {
        separate();
        put('\\');
        put('N');
        return this;
    }

    public CopyText bool(boolean value) {
        separate();
        put(value ? 't' : 'f');
        return this;
    }

    public CopyText integer(long value) {
        separate();
        digits(value);
        return this;
    }

    /** An integer, or null if it is {@code unknown}. */
    public CopyText integerUnless(long unknown, long value) {
        return value == unknown ? nothing() : integer(value);
    }

    /** A decimal of an unscaled value that fits a long. */
    public CopyText decimal(long unscaled, int scale) {
        separate();
        if (scale <= 0) {
            digits(unscaled);
            zeros(unscaled == 0 ? 0 : -scale);
            return this;
        }
        if (unscaled == Long.MIN_VALUE) {
            ascii(java.math.BigDecimal.valueOf(unscaled, scale).toPlainString());
            return this;
        }
        long rest = unscaled;
        if (rest < 0) {
            put('-');
            rest = -rest;
        }
        int start = size;
        digits(rest);
        int length = size - start;
        if (length <= scale) {
            int fill = scale + 1 - length;
            room(fill);
            System.arraycopy(buffer, start, buffer, start + fill, length);
            Arrays.fill(buffer, start, start + fill, (byte) '0');
            size += fill;
        }
        room(1);
        System.arraycopy(buffer, size - scale, buffer, size - scale + 1, scale);
        buffer[size - scale] = '.';
        size++;
        return this;
    }

    /** Text of a number or another value that needs no escape. */
    public CopyText word(String ascii) {
        separate();
        ascii(ascii);
        return this;
    }

    public CopyText wordOrNull(@Nullable String ascii) {
        return ascii == null ? nothing() : word(ascii);
    }

    /** Text in UTF-8. */
    public CopyText text(byte[] source, int start, int length) {
        separate();
        escaped(source, start, length);
        return this;
    }

    public CopyText text(@Nullable String text) {
        if (text == null) {
            return nothing();
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return text(bytes, 0, bytes.length);
    }

    /** Bytes, in PostgreSQL's hex form. */
    public CopyText bytes(byte[] source, int start, int length) {
        separate();
        room(3 + 2 * length);
        buffer[size++] = '\\';
        buffer[size++] = '\\';
        buffer[size++] = 'x';
        for (int i = start; i < start + length; i++) {
            hex(source[i]);
        }
        return this;
    }

    /** The sixteen bytes of a uuid. */
    public CopyText uuid(byte[] source, int start) {
        separate();
        room(36);
        for (int i = 0; i < 16; i++) {
            if (i == 4 || i == 6 || i == 8 || i == 10) {
                buffer[size++] = '-';
            }
            hex(source[start + i]);
        }
        return this;
    }

    /** A date, as days since 1970-01-01. */
    public CopyText date(long day) {
        separate();
        era(dateDigits(day));
        return this;
    }

    /** A time of day in microseconds. */
    public CopyText time(long micros) {
        separate();
        timeDigits(micros);
        return this;
    }

    /** A timestamp without zone, in microseconds since 1970-01-01T00:00. */
    public CopyText localTimestamp(long micros) {
        separate();
        timestamp(micros, false);
        return this;
    }

    /** An instant, in microseconds since 1970-01-01T00:00Z. */
    public CopyText instant(long micros) {
        separate();
        timestamp(micros, true);
        return this;
    }

    /** An instant, or null if it is {@code unknown}. */
    public CopyText instantUnless(long unknown, long micros) {
        return micros == unknown ? nothing() : instant(micros);
    }

    private void timestamp(long micros, boolean zoned) {
        boolean beforeChrist = dateDigits(Math.floorDiv(micros, DAY_MICROS));
        put(' ');
        timeDigits(Math.floorMod(micros, DAY_MICROS));
        if (zoned) {
            ascii("+00");
        }
        era(beforeChrist);
    }

    private void era(boolean beforeChrist) {
        if (beforeChrist) {
            ascii(" BC");
        }
    }

    /** Writes year, month and day of the proleptic calendar; gives whether the year is before Christ. */
    private boolean dateDigits(long day) {
        long shifted = day + 719_468;
        long era = Math.floorDiv(shifted, 146_097L);
        long dayOfEra = shifted - era * 146_097;
        long yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        long dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        long monthFromMarch = (5 * dayOfYear + 2) / 153;
        long dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
        long month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
        long year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
        boolean beforeChrist = year <= 0;
        padded(beforeChrist ? 1 - year : year, 4);
        put('-');
        padded(month, 2);
        put('-');
        padded(dayOfMonth, 2);
        return beforeChrist;
    }

    private void timeDigits(long micros) {
        long seconds = micros / 1_000_000;
        padded(seconds / 3600, 2);
        put(':');
        padded(seconds / 60 % 60, 2);
        put(':');
        padded(seconds % 60, 2);
        long rest = micros % 1_000_000;
        if (rest != 0) {
            put('.');
            padded(rest, 6);
        }
    }

    private void escaped(byte[] source, int start, int length) {
        room(2 * length);
        for (int i = start; i < start + length; i++) {
            byte next = source[i];
            switch (next) {
                case '\\' -> escape('\\');
                case '\t' -> escape('t');
                case '\n' -> escape('n');
                case '\r' -> escape('r');
                default -> buffer[size++] = next;
            }
        }
    }

    private void escape(char letter) {
        buffer[size++] = '\\';
        buffer[size++] = (byte) letter;
    }

    private void separate() {
        if (inRow) {
            put('\t');
        }
        inRow = true;
    }

    private void hex(byte value) {
        buffer[size++] = HEX[(value >> 4) & 0xf];
        buffer[size++] = HEX[value & 0xf];
    }

    private void zeros(int count) {
        for (int i = 0; i < count; i++) {
            put('0');
        }
    }

    private void padded(long value, int width) {
        int start = size;
        digits(value);
        int missing = width - (size - start);
        if (missing > 0) {
            room(missing);
            System.arraycopy(buffer, start, buffer, start + missing, size - start);
            Arrays.fill(buffer, start, start + missing, (byte) '0');
            size += missing;
        }
    }

    private void digits(long value) {
        if (value == Long.MIN_VALUE) {
            ascii("-9223372036854775808");
            return;
        }
        long rest = value;
        if (rest < 0) {
            put('-');
            rest = -rest;
        }
        int count = 1;
        for (long limit = 10; count < 19 && rest >= limit; limit *= 10) {
            count++;
        }
        room(count);
        for (int at = size + count - 1; at >= size; at--) {
            buffer[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        size += count;
    }

    private void ascii(String text) {
        room(text.length());
        for (int i = 0; i < text.length(); i++) {
            buffer[size++] = (byte) text.charAt(i);
        }
    }

    private void put(int value) {
        room(1);
        buffer[size++] = (byte) value;
    }

    private void room(int more) {
        if (buffer.length - size < more) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + more));
        }
    }
}
