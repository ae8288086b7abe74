package dev.tidemark.expression;

import dev.tidemark.job.FieldType;
import dev.tidemark.job.TextValues;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.util.OptionalLong;
import java.util.UUID;

/** Casts that change how a value is held. */
final class Casts {
    /** The digits that PostgreSQL takes of a double and of a real when they become numeric. */
    private static final MathContext DOUBLE_DIGITS = new MathContext(15, RoundingMode.HALF_EVEN);

    private static final MathContext SINGLE_DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);
    private static final double LONG_LIMIT = 0x1p63;

    private Casts() {}

    /** A decimal to an integer, half away from zero. */
    static final class DecimalToWhole extends Evaluator {
        private final Evaluator value;
        private final boolean isInt;

        DecimalToWhole(Evaluator value, boolean isInt) {
            this.value = value;
            this.isInt = isInt;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            Decimals.rescale(this, value, 0, RoundingMode.HALF_UP);
            if (wide != null) {
                throw new OutOfRange("bigint out of range");
            }
            return whole(Numbers.ranged(fixed, isInt));
        }
    }

    /** A floating-point number to an integer, half to even. */
    static final class FloatingToWhole extends Evaluator {
        private final Evaluator value;
        private final boolean isInt;

        FloatingToWhole(Evaluator value, boolean isInt) {
            this.value = value;
            this.isInt = isInt;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            double rounded = Math.rint(value.number);
            if (!(rounded >= -LONG_LIMIT && rounded < LONG_LIMIT)) {
                throw new OutOfRange("bigint out of range");
            }
            return whole(Numbers.ranged((long) rounded, isInt));
        }
    }

    /** An integer or boolean whose range is looked at. */
    static final class Ranged extends Evaluator {
        private final Evaluator value;

        Ranged(Evaluator value) {
            this.value = value;
        }

        @Override
        boolean evaluate(Slots row) {
            return value.evaluate(row) && whole(Numbers.ranged(value.fixed, true));
        }
    }

    /** An integer to a boolean. */
    static final class WholeToBoolean extends Evaluator {
        private final Evaluator value;

        WholeToBoolean(Evaluator value) {
            this.value = value;
        }

        @Override
        boolean evaluate(Slots row) {
            return value.evaluate(row) && truth(value.fixed != 0);
        }
    }

    /** An integer to a floating-point number. */
    static final class WholeToFloating extends Evaluator {
        private final Evaluator value;
        private final boolean isSingle;

        WholeToFloating(Evaluator value, boolean isSingle) {
            this.value = value;
            this.isSingle = isSingle;
        }

        @Override
        boolean evaluate(Slots row) {
            return value.evaluate(row) && floating(isSingle ? (float) value.fixed : (double) value.fixed);
        }
    }

    /** A decimal to a floating-point number. */
    static final class DecimalToFloating extends Evaluator {
        private final Evaluator value;
        private final boolean isSingle;

        DecimalToFloating(Evaluator value, boolean isSingle) {
            this.value = value;
            this.isSingle = isSingle;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            BigDecimal exact = value.big();
            return floating(finite(isSingle ? exact.floatValue() : exact.doubleValue(), exact.signum() != 0));
        }
    }

    /** A double to a real. */
    static final class ToSingle extends Evaluator {
        private final Evaluator value;

        ToSingle(Evaluator value) {
            this.value = value;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            return floating(
                    Double.isFinite(value.number) ? finite((float) value.number, value.number != 0) : value.number);
        }
    }

    private static double finite(double number, boolean isNotZero) {
        if (Double.isInfinite(number)) {
            throw new OutOfRange("value out of range: overflow");
        }
        if (isNotZero && number == 0) {
            throw new OutOfRange("value out of range: underflow");
        }
        return number;
    }

    /** A floating-point number to a decimal. */
    static final class FloatingToDecimal extends Evaluator {
        private final Evaluator value;
        private final boolean isSingle;

        FloatingToDecimal(Evaluator value, boolean isSingle) {
            this.value = value;
            this.isSingle = isSingle;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            if (!Double.isFinite(value.number)) {
                throw new OutOfRange(value.number + " is no decimal");
            }
            BigDecimal exact = new BigDecimal(value.number)
                    .round(isSingle ? SINGLE_DIGITS : DOUBLE_DIGITS)
                    .stripTrailingZeros();
            return decimal(exact.scale() < 0 ? exact.setScale(0, RoundingMode.UNNECESSARY) : exact);
        }
    }

    /** A value to text. */
    static final class ToText extends Evaluator {
        private final Evaluator value;
        private final FieldType type;

        ToText(Evaluator value, FieldType type) {
            this.value = value;
            this.type = type;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            byte[] written = Texts.utf8(
                    switch (type.kind()) {
                        case BOOLEAN -> value.fixed != 0 ? "true" : "false";
                        case INT, LONG -> Long.toString(value.fixed);
                        case DECIMAL -> value.big().toPlainString();
                        case DATE -> date(value.fixed);
                        case UUID -> uuid(value);
                        default -> throw new IllegalStateException(type + " has no text form");
                    });
            return text(written, 0, written.length);
        }

        private static String date(long day) {
            LocalDate date = LocalDate.ofEpochDay(day);
            if (date.getYear() < 1 || date.getYear() > 9999) {
                throw new OutOfRange("date out of range");
            }
            return date.toString();
        }

        private static String uuid(Evaluator value) {
            ByteBuffer buffer = ByteBuffer.wrap(value.bytes, value.start, value.length);
            return new UUID(buffer.getLong(), buffer.getLong()).toString();
        }
    }

    /** Text to a value. */
    static final class OfText extends Evaluator {
        private final Evaluator value;
        private final FieldType type;
        private final LocalClock clock;
        private final byte[] sixteen = new byte[16];

        OfText(Evaluator value, FieldType type, LocalClock clock) {
            this.value = value;
            this.type = type;
            this.clock = clock;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            String written = Texts.string(value);
            return switch (type.kind()) {
                case BOOLEAN -> truth(known(TextValues.truth(written), written));
                case INT -> whole(Numbers.ranged(known(TextValues.integer(written), written), true));
                case LONG -> whole(known(TextValues.integer(written), written));
                case DECIMAL -> decimal(known(TextValues.number(written), written));
                case FLOAT -> floating(number(written).floatValue(), written);
                case DOUBLE -> floating(number(written).doubleValue(), written);
                case DATE -> whole(known(TextValues.date(written), written));
                case TIME -> whole(known(TextValues.time(written), written));
                case TIMESTAMP -> {
                    TextValues.Timestamp timestamp = known(TextValues.timestamp(written), written);
                    Integer offset = timestamp.offsetSeconds();
                    yield whole(
                            offset == null
                                    ? clock.instant(timestamp.local())
                                    : timestamp.local() - offset * LocalClock.MICROS_A_SECOND);
                }
                case LOCAL_TIMESTAMP ->
                    whole(known(TextValues.timestamp(written), written).local());
                case UUID -> uuid(written);
                case STRING, BYTES -> throw new IllegalStateException("text is not cast to " + type);
            };
        }

        private BigDecimal number(String written) {
            return known(TextValues.number(written), written);
        }

        private boolean floating(double number, String written) {
            return floating(finite(number, number(written).signum() != 0));
        }

        private boolean uuid(String written) {
            if (!TextValues.isUuid(written)) {
                throw unreadable(written);
            }
            UUID uuid = UUID.fromString(written.strip());
            ByteBuffer.wrap(sixteen).putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
            return text(sixteen, 0, sixteen.length);
        }

        private <T> T known(@org.jspecify.annotations.Nullable T read, String written) {
            if (read == null) {
                throw unreadable(written);
            }
            return read;
        }

        private long known(OptionalLong read, String written) {
            if (read.isEmpty()) {
                throw unreadable(written);
            }
            return read.getAsLong();
        }

        private OutOfRange unreadable(String written) {
            String shown = written.length() > 40 ? written.substring(0, 40) + "..." : written;
            return new OutOfRange("'" + shown + "' cannot be cast to " + type.sql());
        }
    }
}
