package dev.tidemark.change.avro;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;

/**
 * ISO-8601 dates and times in the extended form, as microseconds. Reads from an array of characters, left to right. A
 * fraction may have more digits than the unit holds only if they are zeros.
 */
final class IsoText {
    private final SlotRule rule;
    private final int fractionDigits;
    private char[] text = {};
    private int start;
    private int at;
    private int end;

    /** @param fractionDigits digits of a second that the unit holds */
    IsoText(SlotRule rule, int fractionDigits) {
        this.rule = rule;
        this.fractionDigits = fractionDigits;
    }

    /** Seconds since the epoch and microseconds of an instant with offset, as microseconds. */
    long instant(char[] source, int from, int length) {
        begin(source, from, length);
        if (length > 0 && (source[from] == '+' || source[from] == '-')) {
            return longYear();
        }
        long second = localSecond();
        long micros = fraction();
        return (second - offset()) * 1_000_000 + micros;
    }

    /** A date and time without offset. */
    long local(char[] source, int from, int length) {
        begin(source, from, length);
        long micros = localSecond() * 1_000_000;
        micros += fraction();
        finish();
        return micros;
    }

    /** A time of day. */
    long time(char[] source, int from, int length) {
        begin(source, from, length);
        long micros = secondOfDay() * 1_000_000L;
        micros += fraction();
        finish();
        return micros;
    }

    /** Days since 1970-01-01. */
    long date(char[] source, int from, int length) {
        begin(source, from, length);
        long day = day();
        finish();
        return day;
    }

    private void begin(char[] source, int from, int length) {
        text = source;
        start = from;
        at = from;
        end = from + length;
    }

    private void finish() {
        if (at != end) {
            throw bad();
        }
    }

    private long localSecond() {
        long day = day();
        expect('T');
        return day * 86_400 + secondOfDay();
    }

    private long day() {
        int year = digits(4);
        expect('-');
        int month = digits(2);
        expect('-');
        int day = digits(2);
        try {
            return LocalDate.of(year, month, day).toEpochDay();
        } catch (DateTimeException e) {
            throw bad();
        }
    }

    private int secondOfDay() {
        int hour = digits(2);
        expect(':');
        int minute = digits(2);
        int second = 0;
        if (at < end && text[at] == ':') {
            at++;
            second = digits(2);
        }
        if (hour > 23 || minute > 59 || second > 59) {
            throw bad();
        }
        return (hour * 60 + minute) * 60 + second;
    }

    /** The microseconds of a fraction, if there is one. */
    private long fraction() {
        if (at == end || text[at] != '.') {
            return 0;
        }
        at++;
        int first = at;
        long micros = 0;
        for (; at < end && text[at] >= '0' && text[at] <= '9'; at++) {
            int place = at - first;
            int digit = text[at] - '0';
            if (place >= fractionDigits && digit != 0) {
                throw new Undecodable(
                        "field %s: \"%s\" has more than %d digits of a second", rule.name(), shown(), fractionDigits);
            }
            micros = place < 6 ? 10 * micros + digit : micros;
        }
        if (at == first) {
            throw bad();
        }
        for (int place = at - first; place < 6; place++) {
            micros *= 10;
        }
        return micros;
    }

    /** The offset from UTC in seconds, which ends the text. */
    private int offset() {
        if (at == end) {
            throw new Undecodable("field %s: \"%s\" has no offset from UTC", rule.name(), shown());
        }
        char sign = text[at++];
        if (sign == 'Z') {
            finish();
            return 0;
        }
        if (sign != '+' && sign != '-') {
            throw bad();
        }
        int hours = digits(2);
        int minutes = 0;
        if (at < end) {
            if (text[at] == ':') {
                at++;
            }
            minutes = digits(2);
        }
        finish();
        int seconds = (hours * 60 + minutes) * 60;
        if (minutes > 59 || seconds > 18 * 3600) {
            throw bad();
        }
        return sign == '-' ? -seconds : seconds;
    }

    /** A year of more than four digits, which is rare. */
    private long longYear() {
        try {
            OffsetDateTime time = OffsetDateTime.parse(new String(text, start, end - start));
            int unit = fractionDigits == 3 ? 1_000_000 : 1000;
            if (time.getNano() % unit != 0) {
                throw bad();
            }
            return Math.addExact(Math.multiplyExact(time.toEpochSecond(), 1_000_000L), time.getNano() / 1000);
        } catch (DateTimeException e) {
            throw bad();
        }
    }

    private int digits(int count) {
        if (count > end - at) {
            throw bad();
        }
        int value = 0;
        for (int i = 0; i < count; i++) {
            int digit = text[at++] - '0';
            if (digit < 0 || digit > 9) {
                throw bad();
            }
            value = 10 * value + digit;
        }
        return value;
    }

    private void expect(char c) {
        if (at == end || text[at] != c) {
            throw bad();
        }
        at++;
    }

    private Undecodable bad() {
        return new Undecodable(
                "field %s: an ISO-8601 %s is expected, found \"%s\"",
                rule.name(),
                switch (rule.type().kind()) {
                    case DATE -> "date";
                    case TIME -> "time";
                    case LOCAL_TIMESTAMP -> "date and time without offset";
                    default -> "date and time with offset";
                },
                shown());
    }

    private String shown() {
        return new String(text, start, Math.min(end - start, 40));
    }
}
