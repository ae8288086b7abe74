package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.Tidemark.Result;
import dev.tidemark.kit.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What ledger, rejected, status and target print of a job that has run. */
final class BookkeepingCommandsTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    static Path folder;

    private static Tidemark tidemark;

    @BeforeAll
    static void runJob() throws IOException, SQLException {
        tidemark = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "note": "first", "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
                {"id": "b", "shop": "y", "amount": 7, "at": "2024-03-10T11:00:00Z", "seen": "2024-03-10T11:01:00Z"}
                {"id": "c", "shop": "x", "amount": 7, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "d", "shop": "a,\\"b\\"", "note": "line\\n\\u001b[31mred", "at": "2024-03-10T10:00:00Z", "seen": "2024-03-12T10:02:00Z"}
                {"id": "e", "shop": "x", "amount": 1, "at": "2024-03-01T10:00:00Z", "seen": "2024-03-12T10:03:00Z"}
                """);
        tidemark.write("data/2.jsonl", """
                {"id": "a", "shop": "x", "amount": 6, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:04:00Z"}
                {"id": "b", "shop": "z", "amount": 8, "at": "2024-03-09T11:00:00Z", "seen": "2024-03-12T10:05:00Z"}
                what is this?
                {"id": "g", "shop": "x", "at": "2024-03-14T10:00:00Z", "seen": "2024-03-12T10:05:00Z"}
                \u0001\u0002
                """);
        assertThat(tidemark.run("run", "--parallelism", "1").status()).isEqualTo(0);
        for (String sql : new String[] {
            "update tidemark.late_ledger set recorded_at = '2024-03-12T12:00:00.123456Z'",
            "update tidemark.rejected_changes set recorded_at = '2024-03-12T12:00:00.123456Z'",
            "update tidemark.publications set published_at = '2024-03-12T12:00:00.123456Z'",
            "update shop.sales_by_day set _published_at = '2024-03-12T12:00:00.123456Z'",
            "update tidemark.jobs set started_at = '2024-03-12T11:59:00Z', heartbeat_at = '2024-03-12T12:00:01Z',"
                    + " flink_job_id = 'f1'"
        }) {
            execute(sql);
        }
    }

    @AfterEach
    void openAgain() throws SQLException {
        execute("update tidemark.late_ledger set status = 'open', resolved_at = null, resolved_by = null, note = null");
        execute("update tidemark.partitions p set open_late = (select count(*) from tidemark.late_ledger l"
                + " where l.job = p.job and l.partition = p.partition)");
        execute("delete from tidemark.skipped_files");
        execute("update tidemark.jobs set retired_at = null");
    }

    @Test
    void theLedgerListsOpenRowsTheLatestPartitionFirst() {
        assertPrinted(tidemark.run("ledger"), """
                partition   key    record  half   op      reason          lateness  status  split    offset
                2024-03-10  a,"b"  d       whole  upsert  outside-window  2 d       open    1.jsonl       3
                2024-03-10  x      a       old    upsert  outside-window  2 d       open    2.jsonl       0
                2024-03-10  y      b       old    upsert  outside-window  1 d 23 h  open    2.jsonl       1
                2024-03-09  z      b       new    upsert  state-expired   2 d 23 h  open    2.jsonl       1
                2024-03-01  x      e       whole  upsert  state-expired   11 d      open    1.jsonl       4
                """);
    }

    @Test
    void theListSaysHowManyRowsTheLimitLeavesOut() {
        Result table = tidemark.run("late", "--limit", "2");
        Result csv = tidemark.run("ledger list", "--limit", "2", "--format", "csv");

        assertThat(table.out()).hasLineCount(4).endsWith("3 more; --limit 0 gives all\n");
        assertThat(csv.out()).hasLineCount(3);
        assertThat(csv.err()).isEqualTo("3 more; --limit 0 gives all\n");
        assertThat(tidemark.run("ledger", "--limit", "0").out()).hasLineCount(6);
        assertThat(tidemark.run("ledger", "--limit", "-1").err())
                .isEqualTo("tidemark: --limit must be 0 or more, not -1\n");
    }

    @Test
    void filtersOfTheLedgerNarrowTogether() {
        assertRecords("d a b", "--partition", "2024-03-10");
        assertRecords("b e", "--partition", "2024-03-01..2024-03-09");
        assertRecords("b e", "--reason", "state-expired");
        assertRecords("a e", "--key", "x");
        assertRecords("e", "--key", "{\"shop\": \"x\"}", "--reason", "state-expired");
        assertRecords("b b", "--record-id", "b");
        assertRecords("e", "--lateness-over", "3d");
        assertRecords("", "--status", "incorporated");
        assertRecords("d a b b e", "--status", "all");
    }

    @Test
    void anEmptyListSaysWhetherFiltersMadeItSo() {
        assertThat(tidemark.run("ledger", "--record-id", "nobody").out())
                .isEqualTo("no open late changes that the filters select; --status all looks at the others too\n");
        assertThat(tidemark.run("ledger", "--record-id", "nobody", "--format", "json")
                        .out())
                .isEqualTo("[]\n");
    }

    @Test
    void wrongFiltersAreToldWithWhatIsAllowed() {
        assertWrongUse(tidemark.run("ledger", "--reason", "bad-luck"), """
                tidemark: Invalid value for option '--reason': 'bad-luck' is none of before-start, state-expired, outside-window, unknown-record
                See 'tidemark ledger --help'.
                """);
        assertWrongUse(
                tidemark.run("ledger", "--partition", "yesterday"),
                "tidemark: --partition: 'yesterday' is not a date such as 2024-03-10, or two of them as FROM..TO\n");
        assertWrongUse(
                tidemark.run("ledger", "--partition", "2024-03-10..2024-03-09"),
                "tidemark: --partition: 2024-03-10 is later than 2024-03-09\n");
        assertWrongUse(
                tidemark.run("ledger", "--key", "{shop"),
                "tidemark: --key begins like a JSON object, but is none: {shop\n");
        assertWrongUse(tidemark.run("ledger", "--lateness-over", "long"), """
                tidemark: Invalid value for option '--lateness-over': 'long' is not a duration such as 250ms, 2s, 5m, 12h, 3d or PT1H30M
                See 'tidemark ledger --help'.
                """);
        assertWrongUse(tidemark.run("ledger forget"), """
                tidemark: Invalid value for positional parameter at index 0 (ACTION): 'forget' is none of list, summary, show, dismiss
                See 'tidemark ledger --help'.
                """);
    }

    @Test
    void theLedgerAsJsonHasEveryColumn() {
        assertPrinted(tidemark.run("ledger", "--record-id", "d", "--format", "json"), """
                [
                {"split":"1.jsonl","offset":3,"half":"whole","record_id":"d","op":"upsert","partition":"2024-03-10",\
                "key":{"shop": "a,\\"b\\""},"event_time":"2024-03-10T10:00:00Z","observed_at":"2024-03-12T10:02:00Z",\
                "lateness_ms":172920000,"age":2,"frontier":"2024-03-12T10:01:00Z","open_from":"2024-03-11",\
                "reason":"outside-window","withheld":true,"payload":{"at": "2024-03-10T10:00:00Z", "id": "d",\
                 "note": "line\\n\\u001b[31mred", "seen": "2024-03-12T10:02:00Z", "shop": "a,\\"b\\"", "amount": null},\
                "publication":1,"recorded_at":"2024-03-12T12:00:00.123456Z","status":"open","resolved_by":null,\
                "resolved_at":null,"note":null}
                ]
                """);
    }

    @Test
    void theLedgerAsCsvIsRfc4180() {
        Result result = tidemark.run("ledger", "--record-id", "e", "--format", "csv");

        assertThat(result.out())
                .isEqualTo(
                        "split,offset,half,record_id,op,partition,key,event_time,observed_at,lateness_ms,age,frontier,"
                                + "open_from,reason,withheld,payload,publication,recorded_at,status,resolved_by,resolved_at,note\r\n"
                                + "1.jsonl,4,whole,e,upsert,2024-03-01,\"{\"\"shop\"\": \"\"x\"\"}\",2024-03-01T10:00:00Z,"
                                + "2024-03-12T10:03:00Z,950580000,11,2024-03-12T10:03:00Z,2024-03-11,state-expired,false,"
                                + "\"{\"\"at\"\": \"\"2024-03-01T10:00:00Z\"\", \"\"id\"\": \"\"e\"\", \"\"note\"\": null, \"\"seen\"\":"
                                + " \"\"2024-03-12T10:03:00Z\"\", \"\"shop\"\": \"\"x\"\", \"\"amount\"\": 1}\",1,"
                                + "2024-03-12T12:00:00.123456Z,open,,,\r\n");
    }

    @Test
    void theLedgersSummaryCountsByPartitionAndReason() {
        assertPrinted(tidemark.run("ledger summary"), """
                partition   reason          rows  greatest lateness  first recorded        last recorded
                2024-03-10  outside-window     3  2 d                2024-03-12T12:00:00Z  2024-03-12T12:00:00Z
                2024-03-09  state-expired      1  2 d 23 h           2024-03-12T12:00:00Z  2024-03-12T12:00:00Z
                2024-03-01  state-expired      1  11 d               2024-03-12T12:00:00Z  2024-03-12T12:00:00Z
                5 rows in 3 partitions, open
                """);
    }

    @Test
    void oneChangeIsShownWithBothHalvesAndItsPayload() {
        assertPrinted(tidemark.run("ledger show", "2.jsonl", "1"), """
                position        2.jsonl 1
                half            old
                record          b
                op              upsert
                partition       2024-03-10
                key             {"shop": "y"}
                event time      2024-03-10T11:00:00Z
                observed at     2024-03-12T10:05:00Z
                lateness        1 d 23 h
                age             2 partitions
                frontier        2024-03-12T10:05:00Z
                open from       2024-03-11
                reason          outside-window
                withheld        yes, the job's state holds its effect
                recorded        2024-03-12T12:00:00.123456Z, with publication 1
                status          open
                payload
                  {
                    "at" : "2024-03-09T11:00:00Z",
                    "id" : "b",
                    "note" : null,
                    "seen" : "2024-03-12T10:05:00Z",
                    "shop" : "z",
                    "amount" : 8
                  }

                position        2.jsonl 1
                half            new
                record          b
                op              upsert
                partition       2024-03-09
                key             {"shop": "z"}
                event time      2024-03-09T11:00:00Z
                observed at     2024-03-12T10:05:00Z
                lateness        2 d 23 h
                age             3 partitions
                frontier        2024-03-12T10:05:00Z
                open from       2024-03-11
                reason          state-expired
                withheld        no
                recorded        2024-03-12T12:00:00.123456Z, with publication 1
                status          open
                payload
                  {
                    "at" : "2024-03-09T11:00:00Z",
                    "id" : "b",
                    "note" : null,
                    "seen" : "2024-03-12T10:05:00Z",
                    "shop" : "z",
                    "amount" : 8
                  }
                """);
        Result nothing = tidemark.run("ledger show", "2.jsonl", "9");
        assertThat(nothing.err()).isEqualTo("tidemark: the ledger has no change at 2.jsonl 9\n");
        assertThat(nothing.status()).isEqualTo(3);
    }

    @Test
    void dismissingMarksTheRowsAndKeepsTheCountOfOpenOnes() throws SQLException {
        assertPrinted(
                tidemark.run("ledger dismiss", "--partition", "2024-03-10", "--key", "x", "--note", "agreed with Ann"),
                "dismissed 1 row\n");

        assertThat(one(
                        "select status || '|' || note || '|' || (resolved_at at time zone 'UTC') from tidemark.late_ledger"
                                + " where record_id = 'a'"))
                .isEqualTo("dismissed|agreed with Ann|2024-03-13 08:00:00");
        assertThat(openLate()).isEqualTo("2024-03-01=1 2024-03-09=1 2024-03-10=2");
        assertRecords("d b b e");
        assertRecords("a", "--status", "dismissed");
        assertThat(tidemark.run("ledger show", "2.jsonl", "0").out()).contains("""
                        status          dismissed
                        resolved        2024-03-13T08:00:00Z
                        note            agreed with Ann
                        """);
    }

    @Test
    void aChangeIsDismissedWithBothItsHalvesAndOnlyOnce() throws SQLException {
        assertPrinted(tidemark.run("ledger dismiss", "2.jsonl", "1", "--note", "x"), "dismissed 2 rows\n");
        assertThat(openLate()).isEqualTo("2024-03-01=1 2024-03-09=0 2024-03-10=2");
        assertPrinted(
                tidemark.run("ledger dismiss", "2.jsonl", "1", "--note", "y"),
                "dismissed nothing: no open row is selected\n");
        assertThat(openLate()).isEqualTo("2024-03-01=1 2024-03-09=0 2024-03-10=2");
        assertThat(tidemark.run("ledger dismiss", "2.jsonl", "7", "--note", "y").err())
                .isEqualTo("tidemark: the ledger has no change at 2.jsonl 7\n");
    }

    @Test
    void dismissingNeedsASelectionAndANote() throws SQLException {
        assertWrongUse(
                tidemark.run("ledger dismiss", "--note", "all of it"),
                "tidemark: say which rows to dismiss: by SPLIT OFFSET or by filters (--status open selects all that are open)\n");
        assertWrongUse(
                tidemark.run("ledger dismiss", "--key", "x"),
                "tidemark: say with --note TEXT why the rows are dismissed\n");
        assertWrongUse(
                tidemark.run("ledger dismiss", "--status", "all", "--note", "x"),
                "tidemark: only open rows can be dismissed; leave --status out\n");
        assertWrongUse(tidemark.run("ledger", "--note", "x"), "tidemark: --note belongs to dismiss\n");
        assertThat(openLate()).isEqualTo("2024-03-01=1 2024-03-09=1 2024-03-10=3");
    }

    @Test
    void rejectedChangesAreListedAndSummedUp() {
        assertThat(tidemark.run("rejected")
                        .out()
                        .lines()
                        .map(line -> line.replaceAll(" {2,}", "|").split("\\|", -1)))
                .extracting(cells -> cells[0] + " " + cells[1] + " " + cells[2])
                .containsExactly(
                        "split offset reason",
                        "2.jsonl 4 undecodable",
                        "2.jsonl 3 future-dated",
                        "2.jsonl 2 undecodable");
        assertPrinted(tidemark.run("rejected summary"), """
                reason        changes  splits  first recorded        last recorded
                undecodable         2       1  2024-03-12T12:00:00Z  2024-03-12T12:00:00Z
                future-dated        1       1  2024-03-12T12:00:00Z  2024-03-12T12:00:00Z
                3 changes
                """);
        assertPrinted(tidemark.run("rejected", "--split", "1.jsonl"), "no rejected changes that the filters select\n");
        assertThat(tidemark.run("rejected", "--reason", "future-dated").out()).hasLineCount(2);
    }

    @Test
    void aRejectedChangeIsShownAsTextOrInHexadecimal() {
        assertThat(tidemark.run("rejected show", "2.jsonl", "2").out())
                .startsWith("position        2.jsonl 2\nreason          undecodable\nerror           ")
                .endsWith("""
                        recorded        2024-03-12T12:00:00.123456Z, with publication 1
                        payload         13 bytes
                          what is this?
                        """);
        assertThat(tidemark.run("rejected show", "2.jsonl", "4").out()).endsWith("payload         2 bytes\n  0102\n");
        assertThat(tidemark.run("rejected show", "2.jsonl", "0").err())
                .isEqualTo("tidemark: no change was rejected at 2.jsonl 0\n");
        assertThat(tidemark.run("rejected show", "2.jsonl", "2", "--format", "json")
                        .out())
                .contains(
                        "\"payload\":\"d2hhdCBpcyB0aGlzPw==\",\"payload_text\":\"what is this?\",\"payload_length\":13");
    }

    @Test
    void theTargetIsPrintedInOrder() {
        assertPrinted(tidemark.run("target"), """
                day         shop  sales  amount  note   _revision  _members  _pane    _publication
                2024-03-10  x         1       5  first          1         1  ON_TIME             1
                2024-03-10  y         1       7  -              1         1  ON_TIME             1
                2024-03-12  x         2      13  -              1         2  EARLY               1
                """);
        String csv = tidemark.run("target", "--partition", "2024-03-11..2024-03-12", "--format", "csv")
                .out();
        assertThat(csv.replaceAll(",1,2,-?\\d+,", ",1,2,FINGERPRINT,").lines())
                .containsExactly(
                        "day,shop,sales,amount,note,_revision,_members,_fingerprint,_pane,_publication,_published_at",
                        "2024-03-12,x,2,13,,1,2,FINGERPRINT,EARLY,1,2024-03-12T12:00:00.123456Z");
        assertPrinted(tidemark.run("target", "--partition", "2023-01-01"), "the target has no rows there\n");
    }

    @Test
    void theStatusTellsHowTheJobStands() {
        Result result = tidemark.run("status");

        assertPrinted(result, """
                job             sales
                target          shop.sales_by_day
                writer          epoch 1, attempt 1, Flink job f1
                started         2024-03-12T11:59:00Z, 20 h 1 min ago
                checkpoints     every 10.0 s
                heartbeat       2024-03-12T12:00:01Z, 19 h 59 min ago
                lookback        1 day, a hypothesis: no evidence given
                retain          2 days in UTC
                publication     1, 2024-03-12T12:00:00Z, 19 h 59 min ago
                frontier        2024-03-12T10:05:00Z, 21 h 55 min behind the clock
                complete from   2024-03-11
                closed before   2024-03-11
                records read    10   in 1 publication
                  applied       3
                  superseded    0
                  late          3
                  split         1
                  rejected      3   see: tidemark rejected
                open late       5 ledger rows: 3 outside-window, 2 state-expired
                  oldest        2024-03-12T12:00:00Z, 19 h 59 min ago
                backlog         0 files not begun
                last rebuild    never
                verified        never
                missing         unmeasured
                reconciliation  unmeasured
                warning: 3 changes were rejected of late; see: tidemark rejected
                """);
    }

    @Test
    void aCheckFailsWithTheWarningsItLists() throws SQLException {
        execute("insert into tidemark.skipped_files values ('sales', '0.jsonl', now())");
        execute("update tidemark.jobs set retired_at = '2024-03-13T00:00:00Z'");

        Result result = tidemark.run("status", "--check", "--open-late-after", "12h", "--publication-after", "1h");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out().lines().filter(line -> line.startsWith("warning: ")))
                .containsExactly(
                        "warning: the job was retired at 2024-03-13T00:00:00Z",
                        "warning: the last publication, 1, is of 2024-03-12T12:00:00.123456Z: older than it should be",
                        "warning: not read, because they came after a file that sorts behind them: 1 file (0.jsonl)",
                        "warning: 3 changes were rejected of late; see: tidemark rejected",
                        "warning: of 5 open late changes the oldest waits since 2024-03-12T12:00:00.123456Z; see: tidemark ledger");
    }

    @Test
    void theStatusAsJsonNamesItsWarnings() {
        assertThat(tidemark.run("status", "--format", "json").out())
                .startsWith("{")
                .contains("\"complete_from\" : \"2024-03-11\"", "\"open_late\" : {\n    \"rows\" : 5,")
                .contains("\"warnings\" : [ {\n    \"name\" : \"rejected\",");
        assertWrongUse(
                tidemark.run("status", "--format", "csv"), "tidemark: --format: status is printed as table or json\n");
    }

    @Test
    void theStatusTellsWhatIsUnderWayAndWhatPeopleDid() throws SQLException {
        execute("insert into tidemark.operations (operation, job, kind, step, arguments, error, started_at, updated_at)"
                + " values (gen_random_uuid(), 'sales', 'widen', 'stopped', '{}', 'no cluster',"
                + " '2024-03-13T07:00:00Z', '2024-03-13T07:30:00Z')");
        execute("insert into tidemark.frontier_resets values ('sales', 's', '', '2024-03-12T10:00:00Z',"
                + " '2024-03-13T07:00:00Z')");
        execute("insert into tidemark.rebuilds (rebuild, job, mode, from_partition, to_partition, history, publication,"
                + " started_at, finished_at) values (gen_random_uuid(), 'sales', 'range', '2024-03-01', '2024-03-02',"
                + " 'files', 1, '2024-03-13T06:00:00Z', '2024-03-13T06:02:05Z')");

        Result text = tidemark.run("status", "--check");
        String json = tidemark.run("status", "--format", "json").out();
        execute("delete from tidemark.operations");
        execute("delete from tidemark.frontier_resets");
        execute("delete from tidemark.rebuilds");

        assertThat(text.out()).contains("""
                operation       widen, behind the step stopped, 2024-03-13T07:30:00Z, 30 min ago
                                no cluster
                """);
        assertThat(text.out())
                .contains(
                        "frontier reset  files to 2024-03-12T10:00:00Z, 2024-03-13T07:00:00Z, 1 h ago\n",
                        "last rebuild    2024-03-01 to 2024-03-02, took 2 min 5 s, 2024-03-13T06:02:05Z, 1 h 57 min ago\n",
                        "warning: an operation (widen) stands behind the step stopped since 2024-03-13T07:30:00Z; repeat its"
                                + " command, which goes on with it\n");
        assertThat(text.status()).isEqualTo(1);
        assertThat(json)
                .contains(
                        "\"step\" : \"stopped\"",
                        "\"last_rebuild_ms\" : 125000",
                        "\"last_rebuild_from\" : \"2024-03-01\"",
                        "\"last_rebuild_to\" : \"2024-03-02\"",
                        "\"frontier\" : \"2024-03-12T10:00:00Z\"",
                        "\"frontier_least_behind_ms\" : 78900000",
                        "\"lookback_in_file\" : 1",
                        "\"kind\" : \"stream\"");
    }

    @Test
    void theStatusNamesAnOpenEndOfTheLastRebuild() throws SQLException {
        List<String> shown = new ArrayList<>();
        for (String span :
                List.of("null, null", "'2024-03-01', null", "null, '2024-03-02'", "'2024-03-01', '2024-03-01'")) {
            execute(
                    "insert into tidemark.rebuilds (rebuild, job, mode, from_partition, to_partition, history, publication,"
                            + " started_at, finished_at) values (gen_random_uuid(), 'sales', 'all', " + span
                            + ", 'files', 1, '2024-03-13T06:00:00Z', '2024-03-13T06:02:05Z')");
            String text = tidemark.run("status").out();
            shown.add(text.lines()
                    .filter(line -> line.startsWith("last rebuild"))
                    .map(line -> line.substring(0, line.indexOf(", took")))
                    .findFirst()
                    .orElseThrow());
            if (span.equals("null, null")) {
                assertThat(tidemark.run("status", "--format", "json").out())
                        .contains("\"last_rebuild_from\" : null", "\"last_rebuild_to\" : null");
            }
            execute("delete from tidemark.rebuilds");
        }
        assertThat(shown)
                .containsExactly(
                        "last rebuild    all partitions",
                        "last rebuild    from 2024-03-01 on",
                        "last rebuild    up to 2024-03-02",
                        "last rebuild    2024-03-01");
    }

    @Test
    void filesBehindThePositionAreTheBacklog() throws IOException {
        tidemark.write("data/3.jsonl", "{}\n");
        String text = tidemark.run("status").out();
        String json = tidemark.run("status", "--format", "json").out();
        Files.delete(folder.resolve("data/3.jsonl"));

        assertThat(text).contains("backlog         1 file not begun, 3 bytes\n");
        assertThat(json).contains("\"backlog\" : {\n    \"files\" : 1,\n    \"bytes\" : 3\n  }");
    }

    @Test
    void aSourceThatCannotBeAskedHasAnUnknownBacklog() throws IOException {
        Files.move(folder.resolve("data"), folder.resolve("away"));
        String text = tidemark.run("status").out();
        Files.move(folder.resolve("away"), folder.resolve("data"));

        assertThat(text).contains("backlog         unknown: The source path ");
    }

    @Test
    void aJobThatTheWarehouseDoesNotKnowIsToldWhatToDo() throws IOException {
        tidemark.write("other.yaml", Tidemark.JOB.replace("job: sales", "job: other"));
        for (String command : new String[] {"status", "ledger", "rejected", "target"}) {
            Result result = tidemark.runPlain(command, "--job", tidemark.path("other.yaml"));

            assertThat(result.err())
                    .startsWith("tidemark: the warehouse (postgres at postgresql://localhost:")
                    .endsWith(") does not know the job other: run `tidemark init` or `tidemark run` first\n");
            assertThat(result.out()).isEmpty();
            assertThat(result.status()).isEqualTo(3);
        }
    }

    @Test
    void withoutAWarehouseNoneIsCreatedForALook() {
        tidemark.with("TIDEMARK_WAREHOUSE", "");
        Result result = tidemark.run("status");
        tidemark.with("TIDEMARK_WAREHOUSE", POSTGRES.address());

        assertThat(result.err())
                .isEqualTo(
                        "tidemark: there is nothing in DIR/local/postgres yet: `tidemark run` the job first, or name the"
                                + " warehouse with --warehouse or TIDEMARK_WAREHOUSE\n");
        assertThat(result.status()).isEqualTo(3);
        assertThat(folder.resolve("local/postgres")).doesNotExist();
    }

    private static void assertPrinted(Result result, String out) {
        assertThat(result.out()).isEqualTo(out);
        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isEqualTo(0);
    }

    private static void assertWrongUse(Result result, String message) {
        assertThat(result.err()).isEqualTo(message);
        assertThat(result.out()).isEmpty();
        assertThat(result.status()).isEqualTo(2);
    }

    /** The record ids that list shows under some filters, in their order. */
    private static void assertRecords(String records, String... filters) {
        Result result = tidemark.run("ledger list --format csv", filters);
        assertThat(result.err()).isEmpty();
        assertThat(String.join(
                        " ",
                        result.out()
                                .lines()
                                .skip(1)
                                .map(line -> line.split(",", -1)[3])
                                .toList()))
                .isEqualTo(records);
    }

    private static String openLate() throws SQLException {
        return one("select string_agg(partition || '=' || open_late, ' ' order by partition) from tidemark.partitions"
                + " where partition in (select partition from tidemark.late_ledger)");
    }

    private static String one(String query) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
