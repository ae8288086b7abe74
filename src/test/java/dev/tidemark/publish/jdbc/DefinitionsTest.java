package dev.tidemark.publish.jdbc;

import static dev.tidemark.publish.jdbc.WarehouseFixture.cut;
import static dev.tidemark.publish.jdbc.WarehouseFixture.judged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.kit.PostgresServer;
import dev.tidemark.publish.Warehouse.Seat;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tables, indexes and constraints are made when they are not there, and never again. */
final class DefinitionsTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    /** Everything that was ever defined in the database, with its number, its file and the transaction that wrote it. */
    private static final List<String> CATALOGUE = List.of(
            "select relname, oid, relfilenode, xmin from pg_class"
                    + " where relnamespace in (select oid from pg_namespace where nspname in ('sales', 'tidemark',"
                    + " 'tidemark_staging')) order by 2",
            "select indexrelid::regclass, indrelid::regclass, xmin from pg_index where indrelid::regclass::text"
                    + " ~ 'sales|tidemark' order by 1",
            "select conname, oid, xmin from pg_constraint where connamespace in (select oid from pg_namespace where"
                    + " nspname in ('sales', 'tidemark', 'tidemark_staging')) order by 2",
            "select attrelid::regclass, attname, xmin from pg_attribute where attnum > 0 and attrelid::regclass::text"
                    + " ~ 'sales|tidemark' order by 1, 2",
            "select installed_rank, version, checksum, success from tidemark.schema_history order by 1");

    @Test
    void theSecondInitDefinesNothingAndFindsEverythingAsItWas() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "twice", true)) {
            log(it);
            it.init();
            assertThat(it.rows("select command_tag from public.definitions"))
                    .as("the log of definitions works")
                    .contains("CREATE SCHEMA", "CREATE TABLE", "CREATE INDEX");
            assertThat(it.rows("select count(*) from pg_constraint where contype = 'p' and conrelid in"
                            + " ('sales.twice'::regclass, 'sales.twice_revisions'::regclass)"))
                    .as("the key is a constraint from the beginning")
                    .containsExactly("2");
            Seat seat = it.register("s1");
            it.publish(seat, 1, it.cell("10", "a", 1, 1, "1.00", 1.0), judged(1, 0), cut(0, 1, "10"));
            it.execute("truncate public.definitions");
            List<String> defined = catalogue(it);
            List<String> rows = it.rows("select t.*, ctid, xmin from sales.twice t");

            it.init();
            it.publish(seat, 2, it.cell("10", "b", 1, 1, "1.00", 1.0), judged(1, 0), cut(1, 2, "10"));
            it.init();

            assertThat(it.rows("select command_tag, object_identity from public.definitions"))
                    .isEmpty();
            assertThat(catalogue(it)).isNotEmpty().isEqualTo(defined);
            assertThat(it.rows("select t.*, ctid, xmin from sales.twice t")).containsAll(rows);
        } finally {
            execute("drop event trigger note_definitions");
        }
    }

    /** What somebody has added to a target is his: an index of his own stays, and none is made beside it. */
    @Test
    void aTargetThatIsThereKeepsItsIndexesAndGetsNoOthers() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "own", false)) {
            it.init();
            it.execute("create index mine on sales.own (product)");
            String indexes =
                    "select indexrelid::regclass from pg_index where indrelid = 'sales.own'::regclass order by 1";
            assertThat(it.rows(indexes)).containsExactlyInAnyOrder("sales.own_pkey", "sales.mine");

            it.init();

            assertThat(it.rows(indexes)).containsExactlyInAnyOrder("sales.own_pkey", "sales.mine");
        }
    }

    /** Enters each command that defines or drops something. */
    private static void log(WarehouseFixture it) {
        it.execute("create table public.definitions (command_tag text, object_identity text)");
        it.execute("""
                create function public.note_definition() returns event_trigger language plpgsql as $$
                begin
                    insert into public.definitions
                    select command_tag, object_identity from pg_event_trigger_ddl_commands();
                    if not found then
                        insert into public.definitions values (tg_tag, 'nothing');
                    end if;
                end $$""");
        it.execute(
                "create event trigger note_definitions on ddl_command_end execute function public.note_definition()");
        it.execute("truncate public.definitions");
    }

    private static List<String> catalogue(WarehouseFixture it) {
        List<String> all = new ArrayList<>();
        CATALOGUE.forEach(query -> all.addAll(it.rows(query)));
        return all;
    }

    private static void execute(String sql) throws SQLException {
        try (var connection = POSTGRES.connect();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
