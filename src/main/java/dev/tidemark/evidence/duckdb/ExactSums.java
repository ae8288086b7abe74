package dev.tidemark.evidence.duckdb;

import dev.tidemark.job.Aggregate;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/**
 * Sums and averages of floating-point numbers, exact until they are rounded once to the nearest double. SQL has added up
 * the mantissas of each cell by their exponents; what is left is one number a cell, and its rounding.
 */
final class ExactSums {
    /** A double is its mantissa times two to the power of its exponent field less this. */
    private static final int BIAS = 1075;
    /** More bits than a double keeps. */
    private static final int KEPT_BITS = 80;

    private ExactSums() {}

    /** Reads the parts that a query gives, cell by cell, and writes the results into a table of cell and total. */
    static void write(DuckDBConnection connection, String query, Aggregate function, String table) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table " + table + " (cell bigint, total double)");
        }
        try (DuckDBConnection reading = connection.duplicate();
                Statement statement = reading.createStatement();
                ResultSet part = statement.executeQuery(query);
                DuckDBAppender out = connection.createAppender("main", table)) {
            Sum sum = null;
            while (part.next()) {
                long cell = part.getLong(1);
                if (sum == null || sum.cell != cell) {
                    if (sum != null) {
                        sum.append(out, function);
                    }
                    sum = new Sum(cell);
                }
                sum.add(part.getInt(2), ((BigInteger) part.getObject(3)), part.getLong(4));
            }
            if (sum != null) {
                sum.append(out, function);
            }
        }
    }

    /** Of one cell: a whole number of the least power of two that a double has. */
    private static final class Sum {
        private final long cell;
        private BigInteger total = BigInteger.ZERO;
        private long count;

        private Sum(long cell) {
            this.cell = cell;
        }

        private void add(int exponent, BigInteger mantissas, long more) {
            total = total.add(mantissas.shiftLeft(exponent));
            count += more;
        }

        private void append(DuckDBAppender out, Aggregate function) throws SQLException {
            long divisor = function == Aggregate.AVG ? count : 1;
            out.beginRow().append(cell).append(rounded(divisor) + 0.0).endRow();
        }

        private double rounded(long divisor) {
            BigInteger magnitude = total.abs();
            int shift = Math.max(0, KEPT_BITS + Long.SIZE - magnitude.bitLength());
            BigInteger[] quotient = magnitude.shiftLeft(shift).divideAndRemainder(BigInteger.valueOf(divisor));
            int drop = Math.max(0, quotient[0].bitLength() - KEPT_BITS);
            boolean isExact = quotient[1].signum() == 0 && quotient[0].getLowestSetBit() >= drop;
            BigInteger kept = quotient[0].shiftRight(drop);
            // Rounded to odd: what is cut off below the kept bits only says that the value is no tie.
            double value = decimal(isExact ? kept : kept.setBit(0), drop - shift - BIAS)
                    .doubleValue();
            return total.signum() < 0 ? -value : value;
        }

        /** number x 2^power, exactly. */
        private static BigDecimal decimal(BigInteger number, int power) {
            return power >= 0
                    ? new BigDecimal(number.shiftLeft(power))
                    : new BigDecimal(number.multiply(BigInteger.valueOf(5).pow(-power)), -power);
        }
    }
}
