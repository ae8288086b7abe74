package dev.tidemark.identity.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.identity.IdentityNote;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import dev.tidemark.wire.flink.WireTypeInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializes {@link IdentityNote} between those who know the devices and the one who counts the days. Never part of state. */
public final class IdentityNoteSerializer extends WireSerializer<IdentityNote> {
    private static final long serialVersionUID = 1L;

    public static final WireTypeInfo<IdentityNote> TYPE =
            WireTypeInfo.of(IdentityNote.class, new IdentityNoteSerializer());

    private static final int SUMS = 1;
    private static final int USER = 2;
    private static final int JOINS = 3;
    private static final int JOINED_FOR_GOOD = 4;
    private static final int FORGOTTEN = 5;
    private static final int METHODS = 3;

    @Override
    protected void write(IdentityNote note, DataOutputView out) throws IOException {
        if (note instanceof IdentityNote.DaySums sums) {
            out.writeByte(SUMS);
            Wire.writeSigned(sums.day(), out);
            for (int i = 0; i < METHODS; i++) {
                Wire.writeSigned(sums.identified().get(i), out);
                Wire.writeSigned(sums.anonymous().get(i), out);
            }
        } else if (note instanceof IdentityNote.DayUser user) {
            out.writeByte(USER);
            Wire.writeSigned(user.day(), out);
            Wire.writeBytes(user.user(), out);
            for (int more : user.devices()) {
                Wire.writeSigned(more, out);
            }
        } else if (note instanceof IdentityNote.Joins joins) {
            out.writeByte(JOINS);
            Wire.writeBytes(joins.device(), out);
            Wire.writeUnsigned(joins.users().size(), out);
            for (Bytes user : joins.users()) {
                Wire.writeBytes(user, out);
            }
        } else if (note instanceof IdentityNote.JoinedForGood joined) {
            out.writeByte(JOINED_FOR_GOOD);
            Wire.writeBytes(joined.one(), out);
            Wire.writeBytes(joined.other(), out);
        } else if (note instanceof IdentityNote.Forgotten forgotten) {
            out.writeByte(FORGOTTEN);
            out.writeLong(forgotten.before());
        }
    }

    @Override
    protected IdentityNote read(DataInputView in) throws IOException {
        int kind = in.readByte();
        return switch (kind) {
            case SUMS -> readSums(in);
            case USER -> new IdentityNote.DayUser(Wire.readSigned(in), Wire.readBytes(in), readDevices(in));
            case JOINS -> new IdentityNote.Joins(Wire.readBytes(in), readUsers(in));
            case JOINED_FOR_GOOD -> new IdentityNote.JoinedForGood(Wire.readBytes(in), Wire.readBytes(in));
            case FORGOTTEN -> new IdentityNote.Forgotten(in.readLong());
            default -> throw new IOException("no note has the kind " + kind);
        };
    }

    private static IdentityNote readSums(DataInputView in) throws IOException {
        long day = Wire.readSigned(in);
        List<Long> identified = new ArrayList<>(METHODS);
        List<Long> anonymous = new ArrayList<>(METHODS);
        for (int i = 0; i < METHODS; i++) {
            identified.add(Wire.readSigned(in));
            anonymous.add(Wire.readSigned(in));
        }
        return new IdentityNote.DaySums(day, identified, anonymous);
    }

    private static List<Integer> readDevices(DataInputView in) throws IOException {
        List<Integer> devices = new ArrayList<>(METHODS);
        for (int i = 0; i < METHODS; i++) {
            devices.add((int) Wire.readSigned(in));
        }
        return devices;
    }

    private static List<Bytes> readUsers(DataInputView in) throws IOException {
        List<Bytes> users = new ArrayList<>();
        for (int rest = Wire.readUnsigned(in); rest > 0; rest--) {
            users.add(Wire.readBytes(in));
        }
        return List.copyOf(users);
    }

    @Override
    public TypeSerializerSnapshot<IdentityNote> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<IdentityNote> {
        public Snapshot() {
            super(1, IdentityNoteSerializer::new);
        }
    }
}
