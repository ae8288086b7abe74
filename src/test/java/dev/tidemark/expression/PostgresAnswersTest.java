package dev.tidemark.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.FieldType;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.PostgresServer;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Every operator and function gives PostgreSQL's answer, value by value, nulls, bounds and failures included. */
class PostgresAnswersTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    /** Written so that PostgreSQL reads the same text as the program. */
    private static final List<String> EXPRESSIONS =
            """
            f and g
            f or g
            not f
            not f and g or f
            f is null
            i is not null
            f is true
            f is not true
            f is false
            f is not false
            f is unknown
            (i > 0) is not unknown
            f = g
            f < g
            i = j
            i <> j
            i != l
            i < l
            n <= i
            w >= n
            d > n
            r = d
            d < i
            r < 1.5
            n = 10.5
            n = 10.500
            w > 0
            l > 1e18
            n in (1, 10.5, -10.55)
            s = 'abc'
            s <> 'abc'
            s < t
            s >= t
            'abc' = s
            t > s
            u = '00000000-0000-0000-0000-000000000001'
            u > '10000000-0000-0000-0000-000000000000'
            "day" = '2026-01-31'
            "day" >= date '2026-01-31'
            "day" < at
            "day" <= loc
            at > loc
            at >= timestamp with time zone '2026-01-31 12:00:00-05'
            loc < timestamp '2026-01-31 12:00:01'
            tod < '12:34:56.789013'
            tod >= time '12:00:00'
            i is distinct from j
            i is not distinct from j
            s is distinct from null
            n is not distinct from i
            i in (1, 2, null)
            i not in (1, 2)
            i not in (1, null)
            s in ('abc', '')
            s not in ('abc', t)
            i in (l, j, 5.0)
            i between 0 and 10
            i not between j and 10
            n between -1 and 10.5
            s between 'a' and 'b'
            s like 'a%'
            s like '%b_'
            s like '%'
            s like ''
            s like '___'
            s like '%\\%%'
            s like '%!_%' escape '!'
            s like 'a\\%b\\_c\\\\d'
            s like '%a%c%' escape ''
            s not like '%€%'
            t like '_'
            i + j
            i - j
            i * j
            i / j
            i % j
            mod(i, j)
            - i
            + i
            i + l
            l * i
            l - 1
            l / i
            l % j
            -l
            i + n
            n + w
            n - w
            n * w
            w * w
            n * i
            i * n + l
            n / i
            i / n
            w / n
            n / w
            w / w
            (n / i) / 3
            1 / 3.0
            2 / (n * 1.000)
            n / 3 * 3
            n % i
            w % n
            n % 0.3
            -n
            -w
            r + r
            r * r
            r / r
            r + i
            d + n
            d * d
            d - 0.1
            d / r
            -d
            -r
            100000 * 3
            2147483648 + 1
            9223372036854775808 - 1
            -2147483648
            1.50
            1e3
            n * 1e2
            "day" + 1
            3 + "day"
            "day" - 365
            "day" - date '2000-02-29'
            abs(i)
            abs(l)
            abs(n)
            abs(w)
            abs(d)
            abs(r)
            round(n)
            round(w)
            round(w, 2)
            round(n, 1)
            round(n, 4)
            round(w, -3)
            round(i, -1)
            round(d)
            floor(n)
            floor(w)
            floor(d)
            ceil(n)
            ceiling(w)
            ceil(r)
            greatest(i, j, 3)
            least(i, l)
            greatest(n, w, i)
            least(s, t)
            greatest("day", date '2026-01-01')
            least(at, timestamp with time zone '2026-01-01 00:00:00+00')
            coalesce(i, 0)
            coalesce(n, i, 0)
            coalesce(s, t, 'none')
            coalesce(s, '')
            coalesce(n, '1.555')
            coalesce(d, i)
            coalesce("day", loc)
            nullif(i, j)
            nullif(s, 'abc')
            nullif(i, 5.0)
            nullif(n, 0)
            case when i > 0 then 'more' when i < 0 then 'less' else 'none' end
            case when f then i end
            case when f then i else n end
            case s when 'abc' then 1 when t then 2 else 3 end
            case i when 1 then n when 5 then w end
            case when f then i else d end
            case when i = 0 then null else 100 / i end
            lower(s)
            upper(s)
            lower(t) = lower(s)
            length(s)
            char_length(t)
            character_length('€')
            substring(s from 2 for 2)
            substring(s from 2)
            substring(s, 0, 2)
            substring(s, -1, 3)
            substring(s from i for 3)
            substring(s from 1 for i)
            substr(s, 2, 1)
            left(s, 2)
            left(s, -1)
            right(s, 2)
            right(s, -2)
            left(s, i)
            trim(s)
            trim(both ' a' from s)
            trim(leading ' ' from s)
            trim(trailing 'dc' from s)
            ltrim(s, ' a')
            rtrim(s)
            rtrim(s, '€😀')
            btrim(s, 'Se')
            replace(s, 'b', 'xyz')
            replace(s, '', 'x')
            replace(s, t, '')
            position('b' in s)
            position(t in s)
            position('' in s)
            strpos(s, '€')
            s || t
            s || '-' || i
            i || s
            s || n
            s || "day"
            concat(s, '-', t)
            concat(i, s, n, null)
            concat('a', l)
            cast(i as bigint)
            cast(l as integer)
            cast(n as integer)
            cast(w as bigint)
            cast(d as integer)
            cast(r as bigint)
            cast(f as integer)
            cast(i as boolean)
            cast(i as numeric)
            cast(l as decimal(19, 0))
            cast(i as decimal(5, 2))
            cast(n as decimal(5, 1))
            cast(w as decimal(10, 2))
            cast(w as decimal(30, 3))
            cast(d as decimal(20, 5))
            cast(r as decimal(20, 5))
            cast(i as real)
            cast(l as double precision)
            cast(n as double precision)
            cast(w as real)
            cast(d as real)
            cast(r as double precision)
            cast(s as integer)
            cast(t as decimal(10, 1))
            cast(s as double precision)
            cast(t as boolean)
            cast(s as date)
            cast(s as timestamp)
            cast(s as timestamp with time zone)
            cast(f as text)
            cast(i as text)
            cast(n as text)
            cast(w as text)
            cast(n * 1.0 as text)
            cast("day" as text)
            cast(u as text)
            cast('2026-01-31 01:02:03.5' as timestamp)
            cast(at as date)
            cast(loc as date)
            cast(at as timestamp)
            cast(loc as timestamp with time zone)
            cast("day" as timestamp)
            cast("day" as timestamp with time zone)
            cast(loc as time)
            cast(at as time)
            cast(cast(at as date) as timestamp with time zone)
            extract(year from at)
            extract(month from at)
            extract(day from loc)
            extract(hour from at)
            extract(minute from tod)
            extract(second from at)
            extract(second from tod)
            extract(dow from "day")
            extract(isodow from "day")
            extract(doy from "day")
            extract(week from "day")
            extract(isoyear from "day")
            extract(quarter from loc)
            extract(epoch from at)
            extract(epoch from loc)
            extract(hour from at) / 2
            date_trunc('second', at)
            date_trunc('minute', loc)
            date_trunc('hour', at)
            date_trunc('day', at)
            date_trunc('week', at)
            date_trunc('month', at)
            date_trunc('quarter', at)
            date_trunc('year', loc)
            date_trunc('day', loc)
            date_trunc('month', "day")
            date_trunc('hour', loc) = loc
            'it''s' || s
            f is not null and i > 0 or s = 'x' and not g
            i + j * 2 - l / 3 % 4
            not i = j
            (i > 0) = f
            (i + 1 > j) = (l < 5)
            i::bigint + n::decimal(12,1)
            - i % 3
            null or f
            null and f
            """.lines().filter(line -> !line.isBlank()).toList();

    @TempDir
    Path folder;

    @Test
    void ofEveryOperatorAndFunction() throws Exception {
        try (Connection connection = POSTGRES.connect()) {
            BothAnswers both = new BothAnswers(folder, connection);
            JobPlan plan = both.plan(EXPRESSIONS);
            List<List<@Nullable Object>> ours = both.ours(plan);
            List<String> differences = new ArrayList<>();
            for (int i = 0; i < EXPRESSIONS.size(); i++) {
                JobPlan.Derived derived = plan.fields().get(i);
                differences.addAll(both.differences(derived, EXPRESSIONS.get(i), ours.get(i), true));
                differences.addAll(both.differences(derived, derived.value().sql(), ours.get(i), true));
                ours.get(i)
                        .forEach(value -> assertThat(fits(value, derived.field().type()))
                                .as("%s gives %s", derived.value().sql(), value)
                                .isTrue());
            }

            assertThat(differences).isEmpty();
        }
    }

    @Test
    void theCanonicalTextIsReadAsItIsMeant() throws Exception {
        try (Connection connection = POSTGRES.connect()) {
            BothAnswers both = new BothAnswers(folder, connection);
            JobPlan plan = both.plan(EXPRESSIONS);
            List<String> canonical =
                    plan.fields().stream().map(derived -> derived.value().sql()).toList();

            assertThat(both.plan(canonical).fields())
                    .extracting(derived -> derived.value().sql())
                    .isEqualTo(canonical);
        }
    }

    @Test
    void ofExpressionsThatNobodyThoughtOf() throws Exception {
        long seed = Long.getLong("tidemark.expressions.first", 1);
        int count = Integer.getInteger("tidemark.expressions", 400);
        try (Connection connection = POSTGRES.connect()) {
            BothAnswers both = new BothAnswers(folder, connection);
            RandomExpressions random = new RandomExpressions(new Random(seed));
            List<String> written = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                written.add(random.next());
            }
            List<String> accepted = both.accepted(written);
            assertThat(accepted).as("seed %d", seed).hasSizeGreaterThan(count * 3 / 4);
            JobPlan plan = both.plan(accepted);
            List<List<@Nullable Object>> ours = both.ours(plan);
            List<String> differences = new ArrayList<>();
            for (int i = 0; i < accepted.size(); i++) {
                JobPlan.Derived derived = plan.fields().get(i);
                differences.addAll(both.differences(derived, accepted.get(i), ours.get(i), false));
                ours.get(i)
                        .forEach(value -> assertThat(fits(value, derived.field().type()))
                                .as(
                                        "seed %d: %s gives %s",
                                        seed, derived.value().sql(), value)
                                .isTrue());
            }

            assertThat(differences).as("seed %d", seed).isEmpty();
        }
    }

    /** A decimal never has more digits than its type states. */
    private static boolean fits(@Nullable Object value, FieldType type) {
        return !(value instanceof BigDecimal decimal)
                || (decimal.scale() <= type.scale()
                        && decimal.precision() - decimal.scale() <= Math.max(type.precision() - type.scale(), 1));
    }
}
