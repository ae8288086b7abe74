-- The bookkeeping of Tidemark. Names and columns are an interface. Partitions are ISO text that orders as they do.

create schema if not exists tidemark_staging;

create table tidemark.jobs (
    job text collate "C" primary key,
    target text collate "C" not null,
    epoch bigint not null default 0,
    attempt bigint not null default 0,
    submission text,
    flink_job_id text,
    spec jsonb not null,
    spec_fingerprint text not null,
    lookback int not null,
    retain int not null,
    zone text not null,
    checkpoint_interval_ms bigint,
    start_positions jsonb,
    started_at timestamptz,
    heartbeat_at timestamptz,
    retired_at timestamptz
) with (fillfactor = 50);

comment on table tidemark.jobs is 'One row a job: its target, its one writer (epoch, attempt) and what it was last told to do';
comment on column tidemark.jobs.epoch is 'Counts submissions; only the newest publishes';
comment on column tidemark.jobs.checkpoint_interval_ms is 'How often the newest submission is to publish';
comment on column tidemark.jobs.attempt is 'Counts the restarts of the newest submission';

create unique index jobs_target on tidemark.jobs (target) where retired_at is null;

create table tidemark.submissions (
    job text collate "C" not null references tidemark.jobs,
    submission text collate "C" not null,
    epoch bigint not null,
    flink_job_id text,
    registered_at timestamptz not null,
    primary key (job, submission)
);

create table tidemark.publications (
    job text collate "C" not null references tidemark.jobs,
    publication bigint not null,
    epoch bigint,
    submission text collate "C",
    checkpoint bigint,
    kind text not null check (kind in ('stream', 'widen', 'rebuild')),
    lookback int not null,
    frontier_least timestamptz,
    frontier_greatest timestamptz,
    closed_before text collate "C",
    ended_before text collate "C",
    complete_from text collate "C",
    retained_from text collate "C",
    replaced_from text collate "C",
    records_read bigint not null default 0,
    applied bigint not null default 0,
    superseded bigint not null default 0,
    late bigint not null default 0,
    split bigint not null default 0,
    rejected bigint not null default 0,
    cells_replaced bigint not null default 0,
    cells_removed bigint not null default 0,
    partitions bigint not null default 0,
    max_lateness_ms bigint,
    half_window_exceeded bigint not null default 0,
    positions jsonb,
    logs jsonb,
    started_at timestamptz not null,
    published_at timestamptz not null,
    primary key (job, publication),
    constraint conserved check (records_read = applied + superseded + late + split + rejected)
);

comment on column tidemark.publications.closed_before is 'The first partition that the stream may still change';
comment on column tidemark.publications.ended_before is 'The partition of the least frontier: earlier ones have ended';
comment on column tidemark.publications.complete_from is 'From here on every partition equals a full recomputation';
comment on column tidemark.publications.lookback is 'Under which its changes were judged; of a rebuild, what the job had';
comment on column tidemark.publications.retained_from is 'The first partition that the state of the stream has not forgotten';
comment on column tidemark.publications.replaced_from is 'Of a widening: from here on every partition was replaced by its whole truth';
comment on column tidemark.publications.positions is 'Split to next offset';
comment on column tidemark.publications.logs is 'Log to split, next offset and frontier in microseconds';

create unique index publications_checkpoint on tidemark.publications (job, submission, checkpoint)
    where submission is not null;
create index publications_widened on tidemark.publications (job, publication) where kind = 'widen';
create index publications_ended on tidemark.publications (job, ended_before, publication) where ended_before is not null;
create index publications_closed on tidemark.publications (job, closed_before, publication) where closed_before is not null;

create table tidemark.partitions (
    job text collate "C" not null references tidemark.jobs,
    partition text collate "C" not null,
    cells bigint not null default 0,
    members bigint not null default 0,
    ended_by bigint,
    closed_by bigint,
    rebuilt_by bigint,
    open_late bigint not null default 0,
    primary key (job, partition)
) with (fillfactor = 70);

create index partitions_open on tidemark.partitions (job, partition) where closed_by is null;

comment on column tidemark.partitions.ended_by is 'The first publication whose least frontier had reached the end';
comment on column tidemark.partitions.closed_by is 'The publication since which the stream no longer changes it';
comment on column tidemark.partitions.open_late is 'Ledger rows whose status is open';

create table tidemark.late_ledger (
    "offset" bigint not null,
    event_time timestamptz,
    observed_at timestamptz,
    lateness_ms bigint,
    age bigint,
    frontier timestamptz,
    publication bigint not null,
    recorded_at timestamptz not null,
    resolved_by bigint,
    resolved_at timestamptz,
    withheld boolean not null,
    job text collate "C" not null,
    split text collate "C" not null,
    half text collate "C" not null check (half in ('whole', 'old', 'new', 'neighbour')),
    record_id text,
    op text not null check (op in ('upsert', 'delete')),
    partition text collate "C",
    key jsonb,
    open_from text collate "C",
    reason text not null,
    status text not null default 'open' check (status in ('open', 'incorporated', 'dismissed')),
    note text,
    payload jsonb,
    primary key (job, split, "offset", half)
);

create index late_ledger_open on tidemark.late_ledger (job, partition) where status = 'open';
create index late_ledger_not_held on tidemark.late_ledger (job, partition) where not withheld;
create index late_ledger_oldest on tidemark.late_ledger (job, recorded_at) where status = 'open';
create index late_ledger_recorded on tidemark.late_ledger using brin (recorded_at);
alter table tidemark.late_ledger set (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

create table tidemark.rejected_changes (
    job text collate "C" not null,
    split text collate "C" not null,
    "offset" bigint not null,
    reason text not null,
    error text,
    payload bytea,
    payload_length bigint not null,
    publication bigint not null,
    recorded_at timestamptz not null,
    primary key (job, split, "offset")
);

create index rejected_changes_recorded on tidemark.rejected_changes using brin (recorded_at);

create table tidemark.lateness (
    job text collate "C" not null,
    observed_day date not null,
    arrival text collate "C" not null check (arrival in ('first', 'correction')),
    age bigint not null,
    bucket bigint not null,
    changes bigint not null,
    late bigint not null,
    maximum bigint not null,
    primary key (job, observed_day, arrival, age, bucket)
) with (fillfactor = 70);

comment on column tidemark.lateness.bucket is 'Upper bound in milliseconds, at most 2 % above the lateness';
comment on column tidemark.lateness.maximum is 'The greatest lateness in it, in milliseconds, exact';

create table tidemark.skipped_files (
    job text collate "C" not null,
    path text collate "C" not null,
    found_at timestamptz not null,
    primary key (job, path)
);

create table tidemark.reconciliation_runs (
    reconciliation bigint generated always as identity primary key,
    job text collate "C" not null references tidemark.jobs,
    control text collate "C" not null,
    origin text not null,
    publication bigint,
    tolerance numeric not null,
    tolerated_unmatched bigint not null,
    annual numeric,
    currency text,
    partitions bigint not null,
    unmatched bigint not null,
    worst double precision,
    alarms text[] not null,
    reconciled_at timestamptz not null
);

comment on column tidemark.reconciliation_runs.control is 'Against which outside totals; each has a series of its own';
comment on column tidemark.reconciliation_runs.tolerance is 'In percent';
comment on column tidemark.reconciliation_runs.annual is 'What a year''s total is worth in that currency';
comment on column tidemark.reconciliation_runs.worst is 'The variance of the measure whose total is furthest off, in percent';
comment on column tidemark.reconciliation_runs.alarms is 'Empty: passed';

create index reconciliation_runs_last on tidemark.reconciliation_runs (job, control, reconciliation);

create table tidemark.reconciliations (
    reconciliation bigint not null references tidemark.reconciliation_runs on delete cascade,
    job text collate "C" not null,
    control text collate "C" not null,
    measure text collate "C" not null,
    partition text collate "C" not null,
    counted boolean not null,
    control_value numeric not null,
    target_value numeric not null,
    variance double precision,
    gross double precision,
    differing bigint not null,
    only_control bigint not null,
    only_target bigint not null,
    unmatched bigint not null,
    open_late bigint not null,
    cusum_loss double precision,
    cusum_gain double precision,
    passed boolean not null,
    primary key (job, control, measure, partition, reconciliation)
);

comment on table tidemark.reconciliations is 'Every variance that was ever measured; of a partition the newest is the one that counts';
comment on column tidemark.reconciliations.counted is 'Not while the stream could still change the partition';
comment on column tidemark.reconciliations.variance is 'In percent of the control: positive is a loss, negative too much; null: the control is 0';
comment on column tidemark.reconciliations.gross is 'What the differences of single rows add up to whatever their sign, in percent';
comment on column tidemark.reconciliations.cusum_loss is 'In deviations of the baseline, as of this reconciliation; null: no baseline yet';

create table tidemark.verifications (
    verification bigint generated always as identity primary key,
    job text collate "C" not null references tidemark.jobs,
    publication bigint not null,
    from_partition text collate "C",
    to_partition text collate "C",
    records bigint not null,
    partitions bigint not null,
    rows_equal bigint not null,
    rows_missing bigint not null,
    rows_extra bigint not null,
    rows_different bigint not null,
    explained bigint not null,
    beyond_memory bigint not null,
    wrong bigint not null,
    passed boolean not null,
    started_at timestamptz not null,
    finished_at timestamptz not null
);

comment on table tidemark.verifications is 'When the target was compared with a recomputation, and what came of it';
comment on column tidemark.verifications.publication is 'As of which';
comment on column tidemark.verifications.from_partition is 'Null: from the first that there was';
comment on column tidemark.verifications.to_partition is 'Null: to the last that there was';
comment on column tidemark.verifications.explained is 'Of the rows that are not equal: what open late changes account for';
comment on column tidemark.verifications.beyond_memory is 'Of those: what forgotten records account for';

create index verifications_job on tidemark.verifications (job, finished_at);

create table tidemark.missing_runs (
    run bigint generated always as identity primary key,
    job text collate "C" not null references tidemark.jobs,
    publication bigint not null,
    from_partition text collate "C",
    to_partition text collate "C",
    live bigint not null,
    late bigint not null,
    refused bigint not null,
    rejected bigint not null,
    beyond_memory bigint not null,
    missing bigint not null,
    stale bigint not null,
    doubled bigint not null,
    unexpected bigint not null,
    unresolved bigint not null,
    unread text not null,
    passed boolean not null,
    started_at timestamptz not null,
    finished_at timestamptz not null
);

comment on table tidemark.missing_runs is 'When it was looked whether every source row is in the target, once, and what came of it';
comment on column tidemark.missing_runs.live is 'Source rows that live in these partitions';
comment on column tidemark.missing_runs.late is 'Of those, what the ledger accounts for';
comment on column tidemark.missing_runs.refused is 'Of those, what was rejected when it was read live';
comment on column tidemark.missing_runs.unread is 'What the source held beyond the last publication: it is not missing';

create index missing_runs_job on tidemark.missing_runs (job, run);

create table tidemark.missing_rows (
    run bigint not null references tidemark.missing_runs on delete cascade,
    job text collate "C" not null,
    kind text not null check (kind in ('missing', 'stale', 'doubled', 'unexpected', 'unresolved')),
    partition text collate "C" not null,
    key jsonb not null,
    record_id text,
    split text collate "C",
    "offset" bigint,
    event_time timestamptz,
    observed_at timestamptz,
    rows bigint not null,
    said text
);

comment on column tidemark.missing_rows.rows is 'How many source rows it is about';

create index missing_rows_run on tidemark.missing_rows (run, partition);

create table tidemark.rebuilds (
    rebuild uuid primary key,
    job text collate "C" not null references tidemark.jobs,
    mode text not null check (mode in ('range', 'window', 'all')),
    trial boolean not null default false,
    frontier text,
    from_partition text collate "C",
    to_partition text collate "C",
    reached text collate "C",
    history text not null,
    reason text,
    positions jsonb,
    gaps jsonb,
    publication bigint,
    rows_scanned bigint,
    rows_rejected bigint,
    rows_written bigint,
    rows_new bigint,
    rows_removed bigint,
    partitions bigint,
    bytes bigint,
    lock_ms bigint,
    incorporated bigint,
    error text,
    started_at timestamptz not null,
    finished_at timestamptz
);

comment on column tidemark.rebuilds.trial is 'It only says what would change, and is forgotten when that is said';
comment on column tidemark.rebuilds.frontier is 'Of a window: where its end came from (target, clock or a date)';
comment on column tidemark.rebuilds.from_partition is 'Null: from the first that there is';
comment on column tidemark.rebuilds.to_partition is 'Null: to the last that there is';
comment on column tidemark.rebuilds.reached is 'The last partition that is known to be computed';
comment on column tidemark.rebuilds.rows_new is 'Of the rows written, those that were not there before';
comment on column tidemark.rebuilds.positions is 'Log to split and next offset: the changes before them were taken; null: all that there was';
comment on column tidemark.rebuilds.gaps is 'Partitions that neither this nor an earlier publication has filled';
comment on column tidemark.rebuilds.bytes is 'Read from the history';
comment on column tidemark.rebuilds.lock_ms is 'How long the lock of the job''s row was held';
comment on column tidemark.rebuilds.publication is 'Null: it has not become visible';

create index rebuilds_job on tidemark.rebuilds (job, finished_at);

-- What takes several steps, so that it can be gone on with wherever it was interrupted.
create table tidemark.operations (
    operation uuid primary key,
    job text collate "C" not null references tidemark.jobs,
    kind text not null,
    step text not null,
    arguments jsonb not null,
    progress jsonb not null default '{}',
    error text,
    started_at timestamptz not null,
    updated_at timestamptz not null,
    finished_at timestamptz
);

comment on column tidemark.operations.step is 'The last one that is done';
comment on column tidemark.operations.progress is 'What the steps have brought: savepoints, Flink jobs, publications';

create unique index operations_open on tidemark.operations (job) where finished_at is null;

-- A frontier that a person has set, against one that a wild clock had set.
create table tidemark.frontier_resets (
    job text collate "C" not null references tidemark.jobs,
    submission text collate "C" not null,
    log text collate "C" not null,
    frontier timestamptz not null,
    requested_at timestamptz not null,
    primary key (job, submission, log)
);

-- The last revision number of cells that are gone, so that one that returns goes on counting; for targets without a
-- table of revisions, until their partition closes.
create table tidemark.removed_cells (
    job text collate "C" not null,
    partition text collate "C" not null,
    key jsonb not null,
    revision int not null,
    primary key (job, partition, key)
);

-- What is staged, durable and not yet published. The cells themselves are in tidemark_staging, a table a job.
create table tidemark.staged_parts (
    part uuid primary key,
    job text collate "C" not null,
    submission text collate "C" not null,
    checkpoint bigint not null,
    subtask int not null,
    cells bigint not null,
    late bigint not null,
    rejected bigint not null,
    cuts jsonb not null,
    carried jsonb,
    staged_at timestamptz not null
);

comment on column tidemark.staged_parts.carried is 'The receipt, when the part is kept for a later publication';

create index staged_parts_job on tidemark.staged_parts (job, submission, checkpoint);

create table tidemark.staged_late (
    part uuid not null,
    split text collate "C" not null,
    "offset" bigint not null,
    half text not null,
    record_id text,
    op text not null,
    partition text collate "C",
    key jsonb,
    event_time timestamptz,
    observed_at timestamptz,
    lateness_ms bigint,
    age bigint,
    frontier timestamptz,
    open_from text collate "C",
    reason text not null,
    withheld boolean not null,
    payload jsonb
);

create index staged_late_part on tidemark.staged_late (part);

create table tidemark.staged_rejected (
    part uuid not null,
    split text collate "C" not null,
    "offset" bigint not null,
    reason text not null,
    error text,
    payload bytea,
    payload_length bigint not null
);

create index staged_rejected_part on tidemark.staged_rejected (part);
