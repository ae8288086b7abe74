package dev.tidemark.change;

import dev.tidemark.expression.Slots;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one record that the job reads, by slot of {@link Reading}. Mutable and reused.
 *
 * <p>Fixed values are longs: booleans 0 or 1; float and double as {@link Double#doubleToLongBits} with -0.0 made 0.0;
 * decimals of up to 18 digits unscaled. The others are byte ranges: strings as UTF-8 (a lone surrogate in its three-byte
 * form, so that it can be seen later), bytes, uuid as 16 bytes, larger decimals as the least two's complement of the
 * unscaled value.
 */
public final class Draft implements Slots {
    private final long[] fixed;
    private final byte[][] bytes;
    private final int[] start;
    private final int[] length;
    private final boolean[] present;
    private final @Nullable Rejection[] faults;
    private final @Nullable String[] faultTexts;
    private boolean spoiled;
    private @Nullable Rejection rejection;
    private @Nullable String error;

    public Draft(int slots) {
        fixed = new long[slots];
        bytes = new byte[slots][];
        start = new int[slots];
        length = new int[slots];
        present = new boolean[slots];
        faults = new Rejection[slots];
        faultTexts = new String[slots];
    }

    /** Makes every slot null and takes back a rejection. */
    public void clear() {
        if (spoiled) {
            Arrays.fill(faults, null);
            spoiled = false;
        }
        Arrays.fill(present, false);
        rejection = null;
        error = null;
    }

    @Override
    public void setFixed(int slot, long value) {
        fixed[slot] = value;
        present[slot] = true;
    }

    public void setDouble(int slot, double value) {
        setFixed(slot, Double.doubleToLongBits(value == 0.0 ? 0.0 : value));
    }

    /** The range must stay unchanged until the draft is cleared. */
    @Override
    public void setBytes(int slot, byte[] source, int from, int count) {
        bytes[slot] = source;
        start[slot] = from;
        length[slot] = count;
        present[slot] = true;
    }

    @Override
    public void setNull(int slot) {
        present[slot] = false;
    }

    @Override
    public boolean isNull(int slot) {
        return !present[slot];
    }

    @Override
    public long fixed(int slot) {
        return fixed[slot];
    }

    public double doubleAt(int slot) {
        return Double.longBitsToDouble(fixed[slot]);
    }

    @Override
    public byte[] bytes(int slot) {
        return bytes[slot];
    }

    @Override
    public int start(int slot) {
        return start[slot];
    }

    @Override
    public int length(int slot) {
        return length[slot];
    }

    /**
     * Says that the slot's value cannot be had. The slot is null then, and whether that rejects the record depends on what
     * the record is asked for: see {@link #rejectIfSpoiled}.
     */
    public void spoil(int slot, Rejection reason, String message) {
        present[slot] = false;
        Rejection known = faults[slot];
        if (known == null || reason.compareTo(known) < 0) {
            faults[slot] = reason;
            faultTexts[slot] = message;
            spoiled = true;
        }
    }

    @Override
    public void spoil(int slot, String why) {
        spoil(slot, Rejection.OUT_OF_RANGE, why);
    }

    /** Whether the slot's value cannot be had. */
    public boolean isSpoiled(int slot) {
        return spoiled && faults[slot] != null;
    }

    /** Rejects the record if one of the slots is spoiled. */
    public void rejectIfSpoiled(int[] slots) {
        if (!spoiled) {
            return;
        }
        for (int slot : slots) {
            Rejection fault = faults[slot];
            if (fault != null) {
                reject(fault, String.valueOf(faultTexts[slot]));
            }
        }
    }

    /** Keeps the first reason in the order of {@link Rejection}. */
    public void reject(Rejection reason, String message) {
        if (rejection == null || reason.compareTo(rejection) < 0) {
            rejection = reason;
            error = message;
        }
    }

    public @Nullable Rejection rejection() {
        return rejection;
    }

    public @Nullable String error() {
        return error;
    }
}
