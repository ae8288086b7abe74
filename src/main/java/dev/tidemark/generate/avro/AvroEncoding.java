package dev.tidemark.generate.avro;

import dev.tidemark.generate.RecordEncoding;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/** Records in Avro's binary form, field after field: decimals as bytes, times as timestamp-micros. */
public final class AvroEncoding implements RecordEncoding {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    private final BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(bytes, null);

    @Override
    public void begin() {
        bytes.reset();
    }

    @Override
    public void integer(int value) throws IOException {
        encoder.writeInt(value);
    }

    @Override
    public void number(long value) throws IOException {
        encoder.writeLong(value);
    }

    @Override
    public void text(String value) throws IOException {
        encoder.writeBytes(value.getBytes(StandardCharsets.UTF_8));
    }

    /** The union's first branch is null. */
    @Override
    public void textOrNull(@Nullable String value) throws IOException {
        encoder.writeIndex(value == null ? 0 : 1);
        if (value != null) {
            text(value);
        }
    }

    @Override
    public void decimal(long hundredths) throws IOException {
        encoder.writeBytes(BigInteger.valueOf(hundredths).toByteArray());
    }

    @Override
    public void timestamp(long micros) throws IOException {
        encoder.writeLong(micros);
    }

    @Override
    public byte[] end() throws IOException {
        encoder.flush();
        return bytes.toByteArray();
    }
}
