package dev.tidemark.expression;

import static dev.tidemark.expression.LocalClock.MICROS_A_DAY;
import static dev.tidemark.expression.LocalClock.MICROS_A_SECOND;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.temporal.IsoFields;
import java.time.temporal.TemporalAdjusters;

/** Functions of dates and times. */
final class Times {
    /** The first and last days that PostgreSQL has. */
    private static final long FIRST_DAY = -2_440_588L;

    private static final long LAST_DAY = 2_147_483_493L - 2_440_588L;

    private Times() {}

    static long day(long day) {
        if (day < FIRST_DAY || day > LAST_DAY) {
            throw new OutOfRange("date out of range");
        }
        return day;
    }

    /** A date and days added to or taken from it. */
    static final class Shifted extends Evaluator {
        private final Evaluator date;
        private final Evaluator days;
        private final boolean back;

        Shifted(Evaluator date, Evaluator days, boolean back) {
            this.date = date;
            this.days = days;
            this.back = back;
        }

        @Override
        boolean evaluate(Slots row) {
            return date.evaluate(row)
                    && days.evaluate(row)
                    && whole(day(back ? date.fixed - days.fixed : date.fixed + days.fixed));
        }
    }

    /** The days between two dates. */
    static final class Days extends Evaluator {
        private final Evaluator until;
        private final Evaluator from;

        Days(Evaluator until, Evaluator from) {
            this.until = until;
            this.from = from;
        }

        @Override
        boolean evaluate(Slots row) {
            return until.evaluate(row) && from.evaluate(row) && whole(Numbers.ranged(until.fixed - from.fixed, true));
        }
    }

    /** The start of a date as a local time. */
    static final class OfDate extends Evaluator {
        private final Evaluator date;

        OfDate(Evaluator date) {
            this.date = date;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!date.evaluate(row)) {
                return false;
            }
            long start = date.fixed * MICROS_A_DAY;
            if (Math.abs(date.fixed) > Long.MAX_VALUE / MICROS_A_DAY) {
                throw new OutOfRange("timestamp out of range");
            }
            return whole(start);
        }
    }

    /** A local time as an instant. */
    static final class OfLocal extends Evaluator {
        private final Evaluator local;
        private final LocalClock clock;

        OfLocal(Evaluator local, LocalClock clock) {
            this.local = local;
            this.clock = clock;
        }

        @Override
        boolean evaluate(Slots row) {
            return local.evaluate(row) && whole(clock.instant(local.fixed));
        }
    }

    /** An instant as a local time. */
    static final class Local extends Evaluator {
        private final Evaluator instant;
        private final LocalClock clock;

        Local(Evaluator instant, LocalClock clock) {
            this.instant = instant;
            this.clock = clock;
        }

        @Override
        boolean evaluate(Slots row) {
            return instant.evaluate(row) && whole(clock.local(instant.fixed));
        }
    }

    /** The date of a local time. */
    static final class DateOf extends Evaluator {
        private final Evaluator local;

        DateOf(Evaluator local) {
            this.local = local;
        }

        @Override
        boolean evaluate(Slots row) {
            return local.evaluate(row) && whole(Math.floorDiv(local.fixed, MICROS_A_DAY));
        }
    }

    /** The time of the day of a local time. */
    static final class TimeOf extends Evaluator {
        private final Evaluator local;

        TimeOf(Evaluator local) {
            this.local = local;
        }

        @Override
        boolean evaluate(Slots row) {
            return local.evaluate(row) && whole(Math.floorMod(local.fixed, MICROS_A_DAY));
        }
    }

    /** {@code extract} from a local time, whose day and clock are what they are, or from an instant for its epoch. */
    static final class Extracted extends Evaluator {
        private final String unit;
        private final Evaluator time;

        Extracted(String unit, Evaluator time) {
            this.unit = unit;
            this.time = time;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!time.evaluate(row)) {
                return false;
            }
            long micros = time.fixed;
            long ofDay = Math.floorMod(micros, MICROS_A_DAY);
            return switch (unit) {
                case "epoch" -> decimal(micros, 6);
                case "second" -> decimal(ofDay % (60 * MICROS_A_SECOND), 6);
                case "minute" -> decimal(ofDay / (60 * MICROS_A_SECOND) % 60, 0);
                case "hour" -> decimal(ofDay / (3600 * MICROS_A_SECOND), 0);
                default -> decimal(ofDate(LocalDate.ofEpochDay(Math.floorDiv(micros, MICROS_A_DAY))), 0);
            };
        }

        private long ofDate(LocalDate date) {
            return switch (unit) {
                case "year" -> year(date.getYear());
                case "isoyear" -> year(date.get(IsoFields.WEEK_BASED_YEAR));
                case "quarter" -> date.get(IsoFields.QUARTER_OF_YEAR);
                case "month" -> date.getMonthValue();
                case "week" -> date.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR);
                case "day" -> date.getDayOfMonth();
                case "doy" -> date.getDayOfYear();
                case "dow" -> date.getDayOfWeek().getValue() % 7;
                case "isodow" -> date.getDayOfWeek().getValue();
                default -> throw new IllegalStateException("'" + unit + "' is no unit");
            };
        }

        /** There is no year 0: the one before 1 is -1. */
        private static long year(long proleptic) {
            return proleptic > 0 ? proleptic : proleptic - 1;
        }
    }

    /** {@code date_trunc} of a local time. */
    static final class Truncated extends Evaluator {
        private final String unit;
        private final Evaluator time;

        Truncated(String unit, Evaluator time) {
            this.unit = unit;
            this.time = time;
        }

        @Override
        boolean evaluate(Slots row) {
            return time.evaluate(row) && whole(truncated(unit, time.fixed));
        }
    }

    /**
     * {@code date_trunc} of an instant: parts of a day keep the offset that the instant has; days and more begin by the zone's
     * rules.
     */
    static final class TruncatedInstant extends Evaluator {
        private final String unit;
        private final Evaluator instant;
        private final LocalClock clock;

        TruncatedInstant(String unit, Evaluator instant, LocalClock clock) {
            this.unit = unit;
            this.instant = instant;
            this.clock = clock;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!instant.evaluate(row)) {
                return false;
            }
            long local = clock.local(instant.fixed);
            long truncated = truncated(unit, local);
            return switch (unit) {
                case "second", "minute", "hour" -> whole(truncated - (local - instant.fixed));
                default -> whole(clock.instant(truncated));
            };
        }
    }

    private static long truncated(String unit, long local) {
        return switch (unit) {
            case "second" -> local - Math.floorMod(local, MICROS_A_SECOND);
            case "minute" -> local - Math.floorMod(local, 60 * MICROS_A_SECOND);
            case "hour" -> local - Math.floorMod(local, 3600 * MICROS_A_SECOND);
            case "day" -> local - Math.floorMod(local, MICROS_A_DAY);
            default -> {
                LocalDate date = LocalDate.ofEpochDay(Math.floorDiv(local, MICROS_A_DAY));
                yield beginning(unit, date).toEpochDay() * MICROS_A_DAY;
            }
        };
    }

    private static LocalDate beginning(String unit, LocalDate date) {
        return switch (unit) {
            case "week" -> date.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
            case "month" -> date.withDayOfMonth(1);
            case "quarter" -> date.withDayOfMonth(1).withMonth(date.getMonthValue() - (date.getMonthValue() - 1) % 3);
            case "year" -> date.withDayOfYear(1);
            default -> throw new IllegalStateException("'" + unit + "' is no unit");
        };
    }
}
