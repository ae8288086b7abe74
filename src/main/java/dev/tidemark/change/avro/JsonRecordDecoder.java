package dev.tidemark.change.avro;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.tidemark.change.Draft;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.Reading;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.change.Rejection;
import java.io.IOException;
import org.apache.avro.Schema;

/**
 * Decodes a JSON object by an Avro schema; nested records are objects in it. Members that the job does not read are passed over, whatever they are; one that
 * it reads must be there once.
 *
 * <p>A member that is missing takes the schema's default; without one, and for null where the schema has no null, a role
 * stays empty (screening has a reason for each), and another field makes the record undecodable, unless it is a delete.
 */
public final class JsonRecordDecoder implements RecordDecoder {
    private static final JsonFactory FACTORY =
            JsonFactory.builder().disable(JsonFactory.Feature.CHARSET_DETECTION).build();

    private final SlotRules rules;
    private final JsonLevel outermost;
    private final TextBuffer text = new TextBuffer();

    public JsonRecordDecoder(Reading reading, String readerSchema) {
        this.rules = new SlotRules(reading, new Schema.Parser().parse(readerSchema));
        this.outermost = new JsonLevel(rules.root(), rules, new StepRunner(rules), text);
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
            rules.finish(draft);
        } catch (Undecodable e) {
            draft.reject(Rejection.UNDECODABLE, String.valueOf(e.getMessage()));
        } catch (JsonProcessingException e) {
            draft.reject(Rejection.UNDECODABLE, "no valid JSON: " + withoutPlace(e.getOriginalMessage()));
        } catch (IOException e) {
            draft.reject(Rejection.UNDECODABLE, "no valid JSON: " + e.getMessage());
        }
    }

    /** The parser's words without the place where something began, which for a record of its own says nothing. */
    private static String withoutPlace(String message) {
        int place = message.indexOf(" (start marker at");
        return place < 0 ? message : message.substring(0, place);
    }

    private void read(JsonParser parser, Draft draft) throws IOException {
        JsonToken first = parser.nextToken();
        if (first != JsonToken.START_OBJECT) {
            throw new Undecodable("a JSON object is expected, found %s", JsonSlot.word(first));
        }
        outermost.read(parser, draft);
        if (parser.nextToken() != null) {
            throw new Undecodable("more follows the JSON object");
        }
    }
}
