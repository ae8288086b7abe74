package dev.tidemark.kit;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.Draft;
import dev.tidemark.change.OrderedBytes;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.JobPlan;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import java.util.function.ToLongFunction;

/** The documented hash of a member, for the oracle: XXH3-64 of id text, a zero byte and the version's ordered form. */
public final class Fingerprints {
    private Fingerprints() {}

    public static ToLongFunction<Oracle.Member> of(JobPlan plan) {
        List<Field> version = plan.changes().version();
        return member -> {
            ByteBuilder out = new ByteBuilder();
            byte[] id =
                    member.recordId() == null ? new byte[0] : member.recordId().getBytes(StandardCharsets.UTF_8);
            out.put(id, 0, id.length);
            out.put(0);
            Draft draft = new Draft(version.size());
            for (int i = 0; i < version.size(); i++) {
                set(draft, i, version.get(i).type(), member.version().get(i));
                OrderedBytes.put(out, version.get(i).type(), draft, i);
            }
            Bytes content = out.build();
            return Hashing.xxh3_64().hashBytesToLong(content.array(), 0, content.length());
        };
    }

    private static void set(Draft draft, int slot, FieldType type, Object value) {
        switch (type.kind()) {
            case BOOLEAN -> draft.setFixed(slot, (Boolean) value ? 1 : 0);
            case INT, LONG -> draft.setFixed(slot, (Long) value);
            case DATE -> draft.setFixed(slot, ((LocalDate) value).toEpochDay());
            case TIMESTAMP, LOCAL_TIMESTAMP -> draft.setFixed(slot, Values.micros((Instant) value));
            case STRING -> bytes(draft, slot, ((String) value).getBytes(StandardCharsets.UTF_8));
            case BYTES -> bytes(draft, slot, java.util.HexFormat.of().parseHex(((Values.Binary) value).hex()));
            case UUID -> {
                UUID uuid = (UUID) value;
                bytes(
                        draft,
                        slot,
                        ByteBuffer.allocate(16)
                                .putLong(uuid.getMostSignificantBits())
                                .putLong(uuid.getLeastSignificantBits())
                                .array());
            }
            case DECIMAL -> {
                BigInteger unscaled = ((BigDecimal) value).unscaledValue();
                if (type.isFixed()) {
                    draft.setFixed(slot, unscaled.longValueExact());
                } else {
                    bytes(draft, slot, unscaled.toByteArray());
                }
            }
            default -> throw new IllegalArgumentException("no version is " + type);
        }
    }

    private static void bytes(Draft draft, int slot, byte[] bytes) {
        draft.setBytes(slot, bytes, 0, bytes.length);
    }
}
