package dev.tidemark.change.avro;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.Draft;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of one JSON object that the job reads, or reads something inside of. Members of other names are passed over,
 * whatever they are.
 */
final class JsonLevel {
    private final SlotRules rules;
    private final StepRunner runner;
    private final Member[] members;
    private final Map<String, Member> byName = new HashMap<>();
    private final boolean[] seen;

    /** A member: a slot's, or an object. */
    private record Member(
            int number,
            FieldNode node,
            Step fallback,
            @Nullable JsonSlot slot,
            @Nullable JsonLevel level) {}

    JsonLevel(FieldNode record, SlotRules rules, StepRunner runner, TextBuffer text) {
        this.rules = rules;
        this.runner = runner;
        this.members = new Member[record.fields().size()];
        this.seen = new boolean[members.length];
        for (int i = 0; i < members.length; i++) {
            FieldNode node = record.fields().get(i);
            SlotRule rule = node.rule();
            members[i] = new Member(
                    i,
                    node,
                    fallback(node),
                    rule == null ? null : new JsonSlot(rule, rules, text),
                    rule == null ? new JsonLevel(node, rules, runner, text) : null);
            for (String alias : node.aliases()) {
                byName.putIfAbsent(alias, members[i]);
            }
        }
        for (Member member : members) {
            byName.put(member.node().name(), member);
        }
    }

    /** What stands for a member that is missing. */
    private static Step fallback(FieldNode node) {
        Bytes fallback = node.fallback();
        if (fallback != null) {
            return Step.constant(node, fallback.array(), WriterProgram.step(node.whole(), node));
        }
        return node.nullable() ? Step.nothing(node) : Step.missing(node);
    }

    /** Reads an object whose beginning has been seen, up to its end. */
    void read(JsonParser parser, Draft draft) throws IOException {
        Arrays.fill(seen, false);
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            Member member = byName.get(name);
            JsonToken token = parser.nextToken();
            if (member == null) {
                parser.skipChildren();
                continue;
            }
            if (seen[member.number()]) {
                throw new Undecodable("field %s is there twice", member.node().path());
            }
            seen[member.number()] = true;
            read(member, parser, token, draft);
        }
        for (int i = 0; i < members.length; i++) {
            if (!seen[i]) {
                runner.run(members[i].fallback(), draft);
            }
        }
    }

    private void read(Member member, JsonParser parser, JsonToken token, Draft draft) throws IOException {
        if (token == JsonToken.VALUE_NULL) {
            if (!member.node().nullable()) {
                member.node().rules().forEach(rules::missing);
            }
        } else if (member.slot() != null) {
            read(member.slot(), parser, token, draft);
        } else if (member.level() != null && token == JsonToken.START_OBJECT) {
            member.level().read(parser, draft);
        } else {
            parser.skipChildren();
            for (SlotRule rule : member.node().rules()) {
                rules.unreadable(
                        rule,
                        new Undecodable(
                                "field %s: an object is expected, found %s",
                                member.node().path(), JsonSlot.word(token)));
            }
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
}
