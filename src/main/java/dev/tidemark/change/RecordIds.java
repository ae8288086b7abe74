package dev.tidemark.change;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.tidemark.job.FieldType;
import java.nio.charset.StandardCharsets;

/**
 * The record id as text in UTF-8: a single field's plain text, else a JSON array of the fields. Numbers and booleans are
 * JSON numbers and booleans in the array, all else strings; dates and times in ISO-8601, uuid in its usual form, bytes in
 * base64.
 */
public final class RecordIds {
    private final int[] slots;
    private final FieldType[] types;

    public RecordIds(Reading reading) {
        slots = reading.id().stream().mapToInt(Integer::intValue).toArray();
        types = reading.id().stream()
                .map(slot -> reading.fields().get(slot).type())
                .toArray(FieldType[]::new);
    }

    /** The id of a draft whose id fields are not null; empty when records have no id. */
    public Bytes encode(ByteBuilder scratch, Draft draft) {
        scratch.clear();
        if (slots.length == 1) {
            putPlain(scratch, draft, slots[0], types[0]);
        } else if (slots.length > 1) {
            for (int i = 0; i < slots.length; i++) {
                scratch.put(i == 0 ? '[' : ',');
                putElement(scratch, draft, slots[i], types[i]);
            }
            scratch.put(']');
        }
        return scratch.build();
    }

    private static void putPlain(ByteBuilder out, Draft draft, int slot, FieldType type) {
        switch (type.kind()) {
            case INT, LONG -> out.putDigits(draft.fixed(slot));
            case STRING -> out.put(draft.bytes(slot), draft.start(slot), draft.length(slot));
            default -> out.putAscii(text(draft, slot, type));
        }
    }

    private static void putElement(ByteBuilder out, Draft draft, int slot, FieldType type) {
        switch (type.kind()) {
            case INT, LONG -> out.putDigits(draft.fixed(slot));
            case BOOLEAN, DECIMAL -> out.putAscii(text(draft, slot, type));
            case STRING -> {
                out.put('"');
                putEscaped(out, draft.bytes(slot), draft.start(slot), draft.length(slot));
                out.put('"');
            }
            default -> {
                out.put('"');
                out.putAscii(text(draft, slot, type));
                out.put('"');
            }
        }
    }

    private static void putEscaped(ByteBuilder out, byte[] source, int start, int length) {
        for (int i = start; i < start + length; i++) {
            byte next = source[i];
            if (next == '"' || next == '\\' || (next >= 0 && next < 0x20)) {
                String text = new String(source, start, length, StandardCharsets.UTF_8);
                byte[] escaped = JsonStringEncoder.getInstance().quoteAsUTF8(text);
                out.put(escaped, 0, escaped.length);
                return;
            }
        }
        out.put(source, start, length);
    }

    private static String text(Draft draft, int slot, FieldType type) {
        Object value = type.isFixed()
                ? Values.ofFixed(type, draft.fixed(slot))
                : Values.ofBytes(type, draft.bytes(slot), draft.start(slot), draft.length(slot));
        return Values.text(value);
    }
}
