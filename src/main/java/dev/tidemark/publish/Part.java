package dev.tidemark.publish;

import dev.tidemark.ledger.LateChange;
import dev.tidemark.ledger.RejectedChange;

/** What flows to the stage: everything that a publication is made of. */
public sealed interface Part {
    /** A cell's new truth. */
    record Cell(CellTruth truth) implements Part {}

    /** A row for the ledger. */
    record Late(LateChange change) implements Part {}

    /** A row for the rejected changes. */
    record Rejected(RejectedChange change) implements Part {}

    /** Counts of one membership operator, once a cut. */
    record Judged(Tally tally) implements Part {}

    /** That partitions are open again which were closed, once a restore. */
    record Reopened(Reopening reopening) implements Part {}

    /** Counts and positions of one stamping operator, once a cut. */
    record Read(Cut cut) implements Part {}
}
