package dev.tidemark.change.avro;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.Draft;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.Reading;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.change.Rejection;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;

/**
 * Decodes a JSON object by an Avro schema. Members that the job does not read are passed over, whatever they are; one that
 * it reads must be there once.
 *
 * <p>A member that is missing takes the schema's default; without one, and for null where the schema has no null, a role
 * stays empty (screening has a reason for each), and another field makes the record undecodable, unless it is a delete.
 */
public final class JsonRecordDecoder implements RecordDecoder {
    private static final JsonFactory FACTORY =
            JsonFactory.builder().disable(JsonFactory.Feature.CHARSET_DETECTION).build();

    private final SlotRules rules;
    private final StepRunner runner;
    private final JsonSlot[] slots;
    private final Map<String, JsonSlot> byName = new HashMap<>();
    private final boolean[] seen;
    private final TextBuffer text = new TextBuffer();

    public JsonRecordDecoder(Reading reading, String readerSchema) {
        this.rules = new SlotRules(reading, new Schema.Parser().parse(readerSchema));
        this.runner = new StepRunner(rules);
        this.slots = rules.all().stream()
                .map(rule -> new JsonSlot(rule, rules, text))
                .toArray(JsonSlot[]::new);
        this.seen = new boolean[slots.length];
        for (JsonSlot slot : slots) {
            slot.rule().aliases().forEach(alias -> byName.putIfAbsent(alias, slot));
        }
        for (JsonSlot slot : slots) {
            byName.put(slot.rule().name(), slot);
        }
    }

    @Override
    public void decode(RawRecord raw, Draft draft) {
        if (raw.damage != null) {
            draft.reject(Rejection.UNDECODABLE, raw.damage);
            return;
        }
        rules.begin();
        text.clear();
        try (JsonParser parser = FACTORY.createParser(raw.bytes, raw.start, raw.length)) {
            read(parser, draft);
            for (JsonSlot slot : slots) {
                if (!seen[slot.rule().slot()]) {
                    absent(slot, draft);
                }
            }
            rules.finish(draft);
        } catch (Undecodable e) {
            draft.reject(Rejection.UNDECODABLE, String.valueOf(e.getMessage()));
        } catch (JsonProcessingException e) {
            draft.reject(Rejection.UNDECODABLE, "no valid JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            draft.reject(Rejection.UNDECODABLE, "no valid JSON: " + e.getMessage());
        }
    }

    private void read(JsonParser parser, Draft draft) throws IOException {
        JsonToken first = parser.nextToken();
        if (first != JsonToken.START_OBJECT) {
            throw new Undecodable("a JSON object is expected, found %s", JsonSlot.word(first));
        }
        Arrays.fill(seen, false);
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonSlot slot = byName.get(name);
            JsonToken token = parser.nextToken();
            if (slot == null) {
                parser.skipChildren();
                continue;
            }
            int number = slot.rule().slot();
            if (seen[number]) {
                throw new Undecodable("field %s is there twice", slot.rule().name());
            }
            seen[number] = true;
            if (token == JsonToken.VALUE_NULL) {
                rules.missing(slot.rule());
            } else {
                read(slot, parser, token, draft);
            }
        }
        if (parser.nextToken() != null) {
            throw new Undecodable("more follows the JSON object");
        }
    }

    private void read(JsonSlot slot, JsonParser parser, JsonToken token, Draft draft) throws IOException {
        try {
            slot.read(parser, token, draft);
        } catch (Undecodable unreadable) {
            rules.unreadable(slot.rule(), unreadable);
            draft.setNull(slot.rule().slot());
            parser.skipChildren();
        }
    }

    private void absent(JsonSlot slot, Draft draft) {
        Bytes fallback = slot.rule().fallback();
        if (fallback == null) {
            rules.missing(slot.rule());
        } else {
            runner.run(slot.fallbackStep(), fallback.array(), draft);
        }
    }
}
