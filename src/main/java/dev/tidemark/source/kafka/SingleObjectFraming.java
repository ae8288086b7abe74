package dev.tidemark.source.kafka;

import dev.tidemark.change.RawRecord;
import java.util.HexFormat;
import java.util.Map;

/** Avro's single-object framing: C3 01, then the fingerprint of the writer schema in little-endian order. */
final class SingleObjectFraming implements ValueFraming {
    private static final int HEADER = 10;

    private final Map<Long, String> schemas;

    SingleObjectFraming(Map<Long, String> schemas) {
        this.schemas = schemas;
    }

    @Override
    public void frame(byte[] value, RawRecord into) {
        ValueFraming.whole(value, into);
        if (!isFramed(value)) {
            into.damage =
                    "the value does not begin as Avro's single-object framing does: C3 01 and a fingerprint of 8 bytes";
            return;
        }
        long fingerprint = 0;
        for (int i = HEADER - 1; i >= 2; i--) {
            fingerprint = fingerprint << 8 | (value[i] & 0xff);
        }
        String schema = schemas.get(fingerprint);
        if (schema == null) {
            into.damage = "no schema in source.kafka.schemas has the fingerprint "
                    + HexFormat.of().toHexDigits(fingerprint);
            return;
        }
        into.writerSchema = schema;
        into.start = HEADER;
        into.length = value.length - HEADER;
    }

    @Override
    public boolean isFramed(byte[] value) {
        return value.length >= HEADER && value[0] == (byte) 0xc3 && value[1] == 1;
    }
}
