package dev.tidemark.job.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.Derived;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with an expression is said with its place in it, all of it at once. */
class ExpressionProblemsTest {
    @TempDir
    private Path folder;

    private JobText least;

    @BeforeEach
    void leastJob() {
        least = JobText.least(folder);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            statsu = 'x'                    | at column 1: field 'statsu' is not in the schema; did you mean 'status'? fields:
            quantity                        | at column 1: field 'quantity' is integer, not boolean; expected a condition
            quantity = 'many'               | at column 12: 'many' is no integer; expected an integer in digits
            quantity = status               | at column 1: '=' cannot compare integer and text; expected values of one kind
            status = 1                      | at column 1: '=' cannot compare text and integer; expected values of one kind
            ordered_at > '2026-01-01'       | at column 14: '2026-01-01' is no timestamp with time zone; expected a timestamp with an offset such as '2026-01-31 12:00:00+00'
            op = 'D'                        | at column 6: 'D' is no symbol of field 'op'; did you mean 'd'? symbols: c, u, d
            op in ('c', 'x')                | at column 13: 'x' is no symbol of field 'op'; did you mean 'c'? symbols: c, u, d
            status + 1 > 0                  | at column 1: '+' cannot take text and integer; expected two numbers, or a date and an integer
            quantity % score = 0            | at column 1: '%' cannot take integer and
            lower(quantity) = 'x'           | at column 7: 'lower' takes text, and field 'quantity' is integer; cast(... as text) makes text of it
            lowr(status) = 'x'              | at column 1: function 'lowr' is not known; did you mean 'lower'? functions: abs,
            left(status) = 'x'              | at column 1: 'left' is given 1 argument; expected left(text, length)
            sum(quantity) > 1               | at column 1: 'sum' is an aggregate, and an expression sees one record; aggregates stand under target.columns
            count(*) > 1                    | at column 1: 'count' is an aggregate, and an expression sees one record; aggregates stand under target.columns
            quantity > (select 1)           | at column 12: a subquery is not allowed; an expression is made of the fields of one record
            exists (select 1)               | at column 1: a subquery is not allowed; an expression is made of the fields of one record
            rank() over () = 1              | at column 1: a window function is not allowed; an expression is made of the fields of one record
            quantity > ?                    | at column 12: a parameter is not allowed; an expression is made of the fields of one record
            ordered_at > interval '1' day   | at column 14: an interval is not allowed; an expression is made of the fields of one record
            quantity >                      | at column 10: the expression breaks off; expected an SQL expression
            quantity > > 1                  | at column 10: '>' is not expected here; expected an SQL expression
            order = 1                       | at column 1: 'order' is not expected here; 'order' is a word of SQL: if it is a field, write it in double quotes
            status like quantity            | at column 13: a pattern and its escape character must be constant; expected 'text'
            cast(status as money) = 1       | at column 1: type 'money' is not known; types: bigint,
            cast(ordered_at as integer) = 1 | at column 1: timestamp with time zone cannot be cast to integer; casts of timestamp with time zone: date, time,
            extract(fortnight from ordered_at) = 1 | at column 9: 'fortnight' is no unit of timestamp with time zone; units: year,
            date_trunc('age', ordered_at) is null  | at column 12: 'age' is no unit of 'date_trunc'; units: second,
            coalesce(quantity, status) = 1  | at column 1: 'coalesce' cannot bring together integer and text; expected values of one type
            round(quantity) = 1             | at column 7: field 'quantity' is integer, which is whole already; remove 'round'
            """)
    void aConditionIsRefusedWithThePlaceAndTheWayOut(String condition, String problem) {
        assertThat(least.after("job:", "where: \"" + condition + "\"").problems())
                .singleElement()
                .asString()
                .startsWith("3: where: " + problem);
    }

    @Test
    void allProblemsOfAnExpressionAreSaidAtOnce() {
        assertThat(least.after("job:", "where: \"statsu = 'x' or lower(quantity) = 'y'\"")
                        .problems())
                .hasSize(2)
                .anySatisfy(problem -> assertThat(problem).startsWith("3: where: at column 1: field 'statsu'"))
                .anySatisfy(problem -> assertThat(problem).startsWith("3: where: at column 23: 'lower' takes text"));
    }

    @Test
    void aPlaceInSeveralLinesNamesTheLine() {
        assertThat(least.after("job:", "where: |\n  status = 'x'\n  and quantiti > 1")
                        .problems())
                .singleElement()
                .asString()
                .startsWith("3: where: at line 2, column 5: field 'quantiti' is not in the schema;"
                        + " did you mean 'quantity'?");
    }

    @Test
    void derivedFieldsAreReadInTheOrderOfTheirDeclaration() {
        JobPlan plan = least.after("job:", "fields:\n  twice: quantity * 2\n  more: twice + 1")
                .column("most: { max: more }")
                .plan();

        assertThat(plan.fields())
                .extracting(Derived::field)
                .extracting(field -> field.name() + " " + field.type().sql())
                .containsExactly("twice integer", "more integer");
        assertThat(least.after("job:", "fields:\n  more: twice + 1\n  twice: twice * 2")
                        .problems())
                .containsExactly(
                        "4: fields.more: at column 1: derived field 'twice' is not there yet; a derived field reads the"
                                + " schema's fields and derived ones that stand before it",
                        "5: fields.twice: at column 1: derived field 'twice' is not there yet; a derived field reads the"
                                + " schema's fields and derived ones that stand before it");
    }

    @Test
    void aDerivedFieldTakesNoNameThatIsThere() {
        assertThat(least.after("job:", "fields: { status: quantity + 1, \"a b\": quantity, nothing: null || null }")
                        .problems())
                .anySatisfy(problem -> assertThat(problem)
                        .isEqualTo("3: fields.status: the schema has a field 'status' already; choose another name"))
                .anySatisfy(problem -> assertThat(problem).startsWith("3: fields.a b: 'a b' is no column name"));
    }

    @Test
    void aConditionOfAColumnIsCheckedToo() {
        assertThat(least.column("lines: { count: {}, where: quantity }").problems())
                .containsExactly(
                        "22: target.columns.lines.where: at column 1: field 'quantity' is integer, not boolean;"
                                + " expected a condition");
    }
}
