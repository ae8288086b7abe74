package dev.tidemark.change.avro;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.tidemark.change.Draft;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.LogicalType;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/** Reads the JSON values of one slot. */
final class JsonSlot {
    private static final long MICROS_A_DAY = 86_400_000_000L;

    private final SlotRule rule;
    private final SlotRules rules;
    private final TextBuffer text;
    private final DecimalForm decimal;
    private final IsoText iso;
    private final int unit;
    private final Map<String, byte[]> symbols = new HashMap<>();
    private final byte[] uuid = new byte[UuidText.BYTES];

    JsonSlot(SlotRule rule, SlotRules rules, TextBuffer text) {
        LogicalType logical = rule.schema().getLogicalType();
        this.rule = rule;
        this.rules = rules;
        this.text = text;
        this.decimal = new DecimalForm(rule, rule.type().scale());
        this.unit = SlotRule.microsIn(logical == null ? null : logical.getName());
        this.iso = new IsoText(rule, unit == 1 ? 6 : 3);
        if (rule.schema().getType() == Schema.Type.ENUM) {
            rule.schema()
                    .getEnumSymbols()
                    .forEach(symbol -> symbols.put(symbol, symbol.getBytes(StandardCharsets.UTF_8)));
        }
    }

    SlotRule rule() {
        return rule;
    }

    void read(JsonParser parser, JsonToken token, Draft draft) throws IOException {
        int slot = rule.slot();
        switch (rule.type().kind()) {
            case BOOLEAN -> draft.setFixed(slot, bool(token) ? 1 : 0);
            case INT -> draft.setFixed(slot, integer(parser, token, "an int", Integer.MIN_VALUE, Integer.MAX_VALUE));
            case LONG -> draft.setFixed(slot, integer(parser, token, "a long", Long.MIN_VALUE, Long.MAX_VALUE));
            case FLOAT, DOUBLE -> floatingPoint(parser, token, draft);
            case DECIMAL -> {
                if (token != JsonToken.VALUE_STRING && !token.isNumeric()) {
                    throw found("a decimal, as number or string,", token);
                }
                decimal.put(draft, parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
            }
            case STRING -> string(parser, token, draft);
            case BYTES -> bytes(parser, token, draft);
            case UUID -> {
                wantString(token, "a uuid as string");
                int start = putText(parser);
                UuidText.parse(rule, text.bytes(), start, text.size() - start, uuid);
                draft.setBytes(slot, uuid, 0, UuidText.BYTES);
            }
            case DATE ->
                draft.setFixed(
                        slot,
                        token == JsonToken.VALUE_STRING
                                ? iso.date(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength())
                                : integer(
                                        parser,
                                        token,
                                        "an ISO date or a number of days",
                                        Integer.MIN_VALUE,
                                        Integer.MAX_VALUE));
            case TIME -> time(parser, token, draft);
            case TIMESTAMP, LOCAL_TIMESTAMP -> timestamp(parser, token, draft);
        }
    }

    private boolean bool(JsonToken token) {
        if (!token.isBoolean()) {
            throw found("true or false", token);
        }
        return token == JsonToken.VALUE_TRUE;
    }

    private long integer(JsonParser parser, JsonToken token, String wanted, long least, long greatest)
            throws IOException {
        if (!token.isNumeric()) {
            throw found(wanted, token);
        }
        long value;
        if (token == JsonToken.VALUE_NUMBER_INT && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
            value = parser.getLongValue();
        } else {
            value = exact(parser, wanted);
        }
        if (value < least || value > greatest) {
            throw foundValue(wanted, parser);
        }
        return value;
    }

    /** A number with an exponent, which may be larger than any decimal can hold. */
    private long exact(JsonParser parser, String wanted) throws IOException {
        try {
            return parser.getDecimalValue().longValueExact();
        } catch (ArithmeticException | NumberFormatException e) {
            throw foundValue(wanted, parser);
        }
    }

    private void floatingPoint(JsonParser parser, JsonToken token, Draft draft) throws IOException {
        boolean isFloat = rule.schema().getType() == Schema.Type.FLOAT;
        double value;
        if (token.isNumeric()) {
            value = isFloat ? parser.getFloatValue() : parser.getDoubleValue();
        } else if (token == JsonToken.VALUE_STRING) {
            value = switch (parser.getText()) {
                case "NaN" -> Double.NaN;
                case "Infinity" -> Double.POSITIVE_INFINITY;
                case "-Infinity" -> Double.NEGATIVE_INFINITY;
                default -> throw foundValue("a number", parser);
            };
        } else {
            throw found("a number", token);
        }
        draft.setDouble(rule.slot(), value);
    }

    private void string(JsonParser parser, JsonToken token, Draft draft) throws IOException {
        wantString(token, "a string");
        if (symbols.isEmpty()) {
            int start = putText(parser);
            draft.setBytes(rule.slot(), text.bytes(), start, text.size() - start);
            return;
        }
        byte[] symbol = symbols.get(parser.getText());
        if (symbol == null) {
            throw foundValue("one of " + rule.schema().getEnumSymbols(), parser);
        }
        draft.setBytes(rule.slot(), symbol, 0, symbol.length);
    }

    private void bytes(JsonParser parser, JsonToken token, Draft draft) throws IOException {
        wantString(token, "bytes in base64");
        try {
            byte[] bytes = Base64.getDecoder().decode(parser.getText());
            if (rule.schema().getType() == Schema.Type.FIXED
                    && bytes.length != rule.schema().getFixedSize()) {
                throw foundValue(rule.schema().getFixedSize() + " bytes in base64", parser);
            }
            draft.setBytes(rule.slot(), bytes, 0, bytes.length);
        } catch (IllegalArgumentException e) {
            throw foundValue("bytes in base64", parser);
        }
    }

    private void time(JsonParser parser, JsonToken token, Draft draft) throws IOException {
        if (token == JsonToken.VALUE_STRING) {
            draft.setFixed(
                    rule.slot(), iso.time(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength()));
            return;
        }
        long value = integer(parser, token, "an ISO time or a number", Long.MIN_VALUE, Long.MAX_VALUE);
        if (value < 0 || value >= MICROS_A_DAY / unit) {
            rules.outOfRange(rule, draft, "the time of day " + value);
            return;
        }
        draft.setFixed(rule.slot(), value * unit);
    }

    private void timestamp(JsonParser parser, JsonToken token, Draft draft) throws IOException {
        boolean isText = token == JsonToken.VALUE_STRING;
        long value = isText
                ? 0
                : integer(parser, token, "a date and time as number or string", Long.MIN_VALUE, Long.MAX_VALUE);
        long micros;
        try {
            micros = isText ? isoTimestamp(parser) : Math.multiplyExact(value, (long) unit);
        } catch (ArithmeticException e) {
            rules.outOfRange(rule, draft, parser.getText());
            micros = parser.getText().startsWith("-") ? -Long.MAX_VALUE : Long.MAX_VALUE;
        }
        draft.setFixed(rule.slot(), micros);
    }

    private long isoTimestamp(JsonParser parser) throws IOException {
        char[] chars = parser.getTextCharacters();
        int start = parser.getTextOffset();
        int length = parser.getTextLength();
        return rule.type().kind() == dev.tidemark.job.FieldType.Kind.TIMESTAMP
                ? iso.instant(chars, start, length)
                : iso.local(chars, start, length);
    }

    private int putText(JsonParser parser) throws IOException {
        return text.put(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
    }

    private void wantString(JsonToken token, String wanted) {
        if (token != JsonToken.VALUE_STRING) {
            throw found(wanted, token);
        }
    }

    private Undecodable found(String wanted, JsonToken token) {
        return new Undecodable("field %s: %s is expected, found %s", rule.name(), wanted, word(token));
    }

    private Undecodable foundValue(String wanted, JsonParser parser) throws IOException {
        String shown = parser.getText();
        return new Undecodable(
                "field %s: %s is expected, found %s",
                rule.name(), wanted, shown.length() > 40 ? shown.substring(0, 40) + "..." : shown);
    }

    /** What a token is, in the words of JSON. */
    static String word(@Nullable JsonToken token) {
        if (token == null) {
            return "nothing";
        }
        return switch (token) {
            case START_OBJECT, END_OBJECT -> "an object";
            case START_ARRAY, END_ARRAY -> "an array";
            case VALUE_STRING -> "a string";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            case VALUE_NULL -> "null";
            default -> "something else";
        };
    }
}
