package dev.tidemark.pipeline;

/**
 * The names by which savepoints know the operators. A published contract: a changed uid loses the operator's state. The
 * names of the states within are constants of the operators.
 */
public final class Uids {
    /** Reads the logs; its splits hold the positions. */
    public static final String SOURCE = "source";
    /** Holds each log's frontier. */
    public static final String STAMP = "stamp";
    /** Holds the memory of each record id. */
    public static final String MEMBERSHIP = "membership";
    /** Holds the truth of each cell. */
    public static final String CELLS = "cells";
    /** Holds what the partitions of each key add up to, in a job with running columns. */
    public static final String RUNNING = "running";

    /** Holds what is known of each device. */
    public static final String DEVICES = "devices";
    /** Holds the rows and the graph of identities. */
    public static final String IDENTITIES = "identities";

    public static final String CELL_PARTS = "cell-parts";
    /** Stages cells; holds the number of the last checkpoint. */
    public static final String STAGE_CELLS = "stage-cells";
    /** Stages late and rejected changes, counts and cuts; holds the number of the last checkpoint. */
    public static final String STAGE_RECORDS = "stage-records";
    /** Holds the receipts that are not published yet. */
    public static final String COMMIT = "commit";

    /** Operators of a rebuild hold no state; but every operator has a name. */
    static final String REBUILD_DECODE = "rebuild-decode";

    static final String REBUILD_LIVE = "rebuild-live";
    static final String REBUILD_CELLS = "rebuild-cells";
    static final String REBUILD_RUNNING = "rebuild-running";
    static final String REBUILD_DEVICES = "rebuild-devices";
    static final String REBUILD_IDENTITIES = "rebuild-identities";
    static final String REBUILD_PARTS = "rebuild-parts";
    static final String REBUILD_STAGE = "rebuild-stage";
    static final String REBUILD_REPLACE = "rebuild-replace";

    /** Reads the history of a rebuild. */
    public static final String HISTORY = "history";

    public static final String HISTORY_COUNT = "history-count";

    public static final String HISTORY_EXTENT = "history-extent";

    /** Writes a history down for verify and missing. */
    static final String EVIDENCE_RECORD = "evidence-record";

    private Uids() {}
}
