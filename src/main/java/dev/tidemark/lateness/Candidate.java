package dev.tidemark.lateness;

/**
 * What one lookback would have done with the changes that were seen, and what it would cost.
 *
 * @param caught changes that would have found their partition open: by the partition that they name themselves; that the old
 *     half of a move may have been older is not known any more
 * @param lostFirst first arrivals that would have gone to the ledger
 * @param lostCorrections corrections that would have gone there
 * @param greatestLostMillis the greatest lateness among those; -1: there is none
 * @param openPartitions kept open at any time
 * @param openCells estimate: cells in them, by the mean of the partitions that there are; so many rows a run over the whole
 *     window would replace
 * @param rememberedMembers estimate: members that the state holds, with twice the lookback retained
 * @param reopened of the caught changes, those to partitions before the frontier's: each rewrites at most one cell, two if it
 *     moves a record
 */
public record Candidate(
        long lookback,
        long caught,
        long lostFirst,
        long lostCorrections,
        long greatestLostMillis,
        long openPartitions,
        double openCells,
        double rememberedMembers,
        long reopened) {

    /** Changes that would have gone to the ledger. */
    public long lost() {
        return lostFirst + lostCorrections;
    }
}
