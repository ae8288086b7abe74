package dev.tidemark.source.avro;

import dev.tidemark.change.DatumShape;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.avro.Shapes;
import dev.tidemark.source.Content;
import dev.tidemark.source.ContentDamage;
import dev.tidemark.source.Framing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The records of an Avro container file.
 *
 * <p>A block that cannot be had (its sync marker is wrong, its compression is damaged, the file breaks off) is one
 * damaged record; so is a file that is no container. Reading goes on behind the next sync marker. Where a datum of a block
 * cannot be told from the next one, it and the rest of the block are damaged records, one for each that the block
 * claims; bytes behind the last datum of a block are one more.
 */
public final class AvroContainer implements Framing {
    private enum Advance {
        READY,
        DAMAGED,
        END
    }

    private final String name;
    private final Content content;
    private @Nullable Opened opened;
    private boolean ended;

    private byte[] stored = new byte[64 << 10];
    private int storedLength;
    /** Whether the block's end has been seen, so that reading goes on behind it. */
    private boolean goesOn;

    private byte[] block = {};
    private int at;
    private int end;
    private long left;
    /** Whether a datum of the block could not be told from the next. */
    private boolean poisoned;

    private boolean leftOver;

    private long ordinal;
    private long resumePosition;
    private long resumeOrdinal;

    /** What is known of the file once its head has been read. */
    private static final class Opened {
        private final ContainerHeader header;
        private final DatumShape shape;
        private final BlockCodec codec;
        private ByteInput in;

        private Opened(ContainerHeader header, BlockCodec codec, ByteInput in) {
            this.header = header;
            this.shape = Shapes.of(header.parsed());
            this.codec = codec;
            this.in = in;
        }
    }

    /**
     * Frames a container from its beginning or from a block on.
     *
     * @param resumePosition 0, or where a block begins
     */
    public AvroContainer(String name, Content content, long resumePosition, long resumeOrdinal) {
        this.name = name;
        this.content = content;
        this.ordinal = resumeOrdinal;
        this.resumePosition = resumePosition;
        this.resumeOrdinal = resumeOrdinal;
    }

    @Override
    public boolean next(RawRecord into) throws IOException {
        if (left == 0) {
            Advance advance = leftOver ? leftOver(into) : advance(into);
            if (advance != Advance.READY) {
                ordinal += advance == Advance.DAMAGED ? 1 : 0;
                return advance == Advance.DAMAGED;
            }
        }
        frame(into);
        ordinal++;
        left--;
        leftOver = left == 0 && at < end;
        return true;
    }

    @Override
    public long resumePosition() {
        return resumePosition;
    }

    @Override
    public long resumeOrdinal() {
        return resumeOrdinal;
    }

    @Override
    public void close() throws IOException {
        Opened file = opened;
        if (file != null) {
            file.codec.release();
            file.in.close();
        }
    }

    private void frame(RawRecord into) {
        Opened file = Objects.requireNonNull(opened);
        into.writerSchema = file.header.schema();
        into.bytes = block;
        into.start = at;
        int after = poisoned ? DatumShape.UNREADABLE : file.shape.skip(block, at, end);
        if (after >= 0) {
            into.length = after - at;
            into.wholeLength = into.length;
            into.damage = null;
            at = after;
        } else {
            into.length = Math.min(end - at, KEPT_BYTES);
            into.wholeLength = (long) end - at;
            into.damage = poisoned
                    ? "it follows an unreadable record in the same block"
                    : "it is no datum of the file's schema; what follows it in the block cannot be told apart";
            poisoned = true;
            at = end;
        }
    }

    private Advance leftOver(RawRecord into) {
        leftOver = false;
        into.writerSchema = Objects.requireNonNull(opened).header.schema();
        into.bytes = block;
        into.start = at;
        into.length = Math.min(end - at, KEPT_BYTES);
        into.wholeLength = (long) end - at;
        into.damage = into.wholeLength + " bytes are left over behind the last record of the block at byte "
                + resumePosition + " of " + name;
        at = end;
        return Advance.DAMAGED;
    }

    private Advance advance(RawRecord into) throws IOException {
        while (!ended) {
            Opened file = opened;
            goesOn = false;
            try {
                if (file == null) {
                    file = open();
                    opened = file;
                } else {
                    resumePosition = file.in.position();
                    resumeOrdinal = ordinal;
                }
                if (file.in.atEnd()) {
                    ended = true;
                } else if (readBlock(file)) {
                    return Advance.READY;
                }
            } catch (ContentDamage e) {
                if (file == null) {
                    ended = true;
                    stretch(into, 0, -1, name + " cannot be read as an Avro container file: " + e.getMessage());
                } else {
                    badBlock(file, into, String.valueOf(e.getMessage()));
                }
                return Advance.DAMAGED;
            }
        }
        return Advance.END;
    }

    private Opened open() throws IOException {
        ByteInput in = new ByteInput(content.open(0), 0);
        try {
            ContainerHeader header = ContainerHeader.read(in);
            Opened file = new Opened(header, BlockCodec.of(header.codec(), name), in);
            if (resumePosition == 0) {
                resumePosition = in.position();
            } else {
                in.close();
                file.in = new ByteInput(content.open(resumePosition), resumePosition);
            }
            return file;
        } catch (IOException | RuntimeException e) {
            in.close();
            throw e;
        }
    }

    /** Reads a block; false: it has no records. */
    private boolean readBlock(Opened file) throws IOException {
        long count = file.in.varint();
        long size = file.in.varint();
        if (count < 0 || size < 0 || size > BlockCodec.LARGEST) {
            throw new ContentDamage("it claims " + count + " records in " + size + " bytes");
        }
        stored = file.in.fully(stored, (int) size);
        storedLength = (int) size;
        for (byte expected : file.header.sync().array()) {
            if (file.in.next() != expected) {
                throw new ContentDamage("the sync marker behind it is wrong");
            }
        }
        goesOn = true;
        file.codec.decompress(stored, storedLength);
        block = file.codec.bytes;
        at = file.codec.start;
        end = file.codec.end;
        if (count > end - at || (count == 0 && at < end)) {
            throw new ContentDamage("it claims " + count + " records in " + (end - at) + " bytes");
        }
        left = count;
        poisoned = false;
        return count > 0;
    }

    private void badBlock(Opened file, RawRecord into, String how) throws IOException {
        String damage = "the block at byte " + resumePosition + " of " + name + " is damaged: " + how;
        if (goesOn) {
            into.writerSchema = file.header.schema();
            into.bytes = stored;
            into.start = 0;
            into.length = Math.min(storedLength, KEPT_BYTES);
            into.wholeLength = storedLength;
            into.damage = damage;
            return;
        }
        file.in.close();
        file.in = new ByteInput(content.open(resumePosition), resumePosition);
        try {
            long next = seekSync(file.in, file.header.sync().array());
            stretch(into, resumePosition, next, damage);
        } catch (ContentDamage e) {
            ended = true;
            stretch(into, resumePosition, -1, damage + "; no other block follows");
        }
        into.writerSchema = file.header.schema();
    }

    /** Reads up to the end of the next sync marker and gives its position. */
    private static long seekSync(ByteInput in, byte[] sync) throws IOException {
        ByteBuffer marker = ByteBuffer.wrap(sync);
        long wantedHigh = marker.getLong();
        long wantedLow = marker.getLong();
        long high = 0;
        long low = 0;
        for (long read = 1; ; read++) {
            high = high << 8 | low >>> 56;
            low = low << 8 | (in.next() & 0xff);
            if (read >= ContainerHeader.SYNC_BYTES && high == wantedHigh && low == wantedLow) {
                return in.position();
            }
        }
    }

    /** A damaged record for the bytes from one position to another; -1: to the end. */
    private void stretch(RawRecord into, long from, long to, String damage) throws IOException {
        into.writerSchema = null;
        into.bytes = new byte[KEPT_BYTES];
        into.start = 0;
        into.length = 0;
        into.wholeLength = 0;
        into.damage = damage;
        long limit = to < 0 ? Long.MAX_VALUE : to - from;
        byte[] passed = new byte[KEPT_BYTES];
        try (InputStream in = content.open(from)) {
            while (into.wholeLength < limit) {
                int count = in.read(passed, 0, (int) Math.min(passed.length, limit - into.wholeLength));
                if (count < 0) {
                    break;
                }
                int kept = Math.min(count, KEPT_BYTES - into.length);
                System.arraycopy(passed, 0, into.bytes, into.length, kept);
                into.length += kept;
                into.wholeLength += count;
            }
        } catch (ContentDamage e) {
            // The bytes before the damage are what there is of it.
        }
    }
}
