package dev.tidemark.source.avro;

import dev.tidemark.source.ContentDamage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.apache.avro.file.BZip2Codec;
import org.apache.avro.file.Codec;
import org.apache.avro.file.XZCodec;
import org.apache.avro.file.ZstandardCodec;
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.Snappy;

/** Decompresses the blocks of one container file. The result is in {@link #bytes} until the next block. */
abstract class BlockCodec {
    /** The largest block that is decompressed, so that a damaged one cannot exhaust the memory. */
    static final int LARGEST = 1 << 30;

    /** The decompressed block; it begins at {@link #start} and ends before {@link #end}. */
    byte[] bytes = {};

    int start;
    int end;

    /** Decompresses one block. */
    abstract void decompress(byte[] stored, int length) throws IOException;

    /** Gives back native memory. */
    void release() {}

    /**
     * The codec of that name.
     *
     * @throws ContentDamage if Avro knows no such codec
     * @throws IOException if it does, but the library is missing
     */
    static BlockCodec of(String name, String file) throws IOException {
        try {
            return switch (name) {
                case "null" -> new Stored();
                case "deflate" -> new Deflate();
                case "snappy" -> new Snapped();
                case "bzip2" -> new ByAvro(BZip2Codec::new);
                case "xz" -> new ByAvro(() -> new XZCodec(6));
                case "zstandard" -> new ByAvro(() -> new ZstandardCodec(3, false, false));
                default -> throw new ContentDamage("its codec " + name + " is none of Avro's");
            };
        } catch (LinkageError e) {
            throw missingLibrary(name, file, e);
        }
    }

    private static IOException missingLibrary(String name, String file, LinkageError cause) {
        String library = switch (name) {
            case "snappy" -> "org.xerial.snappy:snappy-java";
            case "bzip2" -> "org.apache.commons:commons-compress";
            case "xz" -> "org.tukaani:xz";
            default -> "com.github.luben:zstd-jni";
        };
        return new IOException(
                "The blocks of " + file + " are compressed with " + name
                        + ", whose library is not on the class path. Add " + library
                        + " to Flink's lib folder, or write the files with null, deflate or snappy.",
                cause);
    }

    private static final class Stored extends BlockCodec {
        @Override
        void decompress(byte[] stored, int length) {
            bytes = stored;
            start = 0;
            end = length;
        }
    }

    private static final class Deflate extends BlockCodec {
        private final Inflater inflater = new Inflater(true);

        @Override
        void decompress(byte[] stored, int length) throws IOException {
            inflater.reset();
            inflater.setInput(stored, 0, length);
            start = 0;
            end = 0;
            try {
                while (!inflater.finished()) {
                    if (end == bytes.length) {
                        grow(Math.max(64 << 10, 4 * (long) length));
                    }
                    int count = inflater.inflate(bytes, end, bytes.length - end);
                    if (count == 0 && (inflater.needsInput() || inflater.needsDictionary())) {
                        throw new ContentDamage("the compressed data breaks off");
                    }
                    end += count;
                }
            } catch (DataFormatException e) {
                throw new ContentDamage("the compressed data is damaged: " + e.getMessage());
            }
        }

        private void grow(long least) throws ContentDamage {
            long size = Math.min(LARGEST, Math.max(least, 2L * bytes.length));
            if (size <= bytes.length) {
                throw new ContentDamage("it has more than " + LARGEST + " bytes");
            }
            bytes = Arrays.copyOf(bytes, (int) size);
        }

        @Override
        void release() {
            inflater.end();
        }
    }

    private static final class Snapped extends BlockCodec {
        private final CRC32 crc = new CRC32();

        private Snapped() {
            // A class that is not there should show now, not at the first block.
            Snappy.maxCompressedLength(0);
        }

        @Override
        void decompress(byte[] stored, int length) throws IOException {
            int compressed = length - 4;
            if (compressed < 0) {
                throw new ContentDamage("the compressed data breaks off");
            }
            try {
                int size = Snappy.uncompressedLength(stored, 0, compressed);
                if (size < 0 || size > LARGEST) {
                    throw new ContentDamage("it has more than " + LARGEST + " bytes");
                }
                if (bytes.length < size) {
                    bytes = new byte[Math.max(size, 64 << 10)];
                }
                start = 0;
                end = Snappy.uncompress(stored, 0, compressed, bytes, 0);
            } catch (ContentDamage e) {
                throw e;
            } catch (IOException e) {
                throw new ContentDamage("the compressed data is damaged: " + e.getMessage());
            }
            crc.reset();
            crc.update(bytes, 0, end);
            int sum = ByteBuffer.wrap(stored, compressed, 4).getInt();
            if (sum != (int) crc.getValue()) {
                throw new ContentDamage("the compressed data has a wrong check sum");
            }
        }
    }

    /** The codecs for which speed does not matter, as Avro has them. */
    private static final class ByAvro extends BlockCodec {
        private final Codec codec;

        private ByAvro(Supplier<Codec> codec) throws IOException {
            this.codec = codec.get();
            touch();
        }

        /** A class that is not there should show now, not at the first block. */
        private void touch() throws IOException {
            codec.decompress(codec.compress(ByteBuffer.allocate(1)));
        }

        @Override
        void decompress(byte[] stored, int length) throws IOException {
            @Nullable ByteBuffer plain;
            try {
                plain = codec.decompress(ByteBuffer.wrap(stored, 0, length));
            } catch (IOException | RuntimeException e) {
                throw new ContentDamage("the compressed data is damaged: " + e.getMessage());
            }
            bytes = plain.array();
            start = plain.arrayOffset() + plain.position();
            end = start + plain.remaining();
        }
    }
}
