package dev.tidemark.reconcile;

import java.math.BigDecimal;
import java.util.List;

/**
 * A line of control totals that has been understood.
 *
 * @param line where it stood
 * @param partition as ISO text
 * @param key of the key columns that the control has, in the target's order, as its database reads them
 * @param values of the measures, in the layout's order
 */
public record ControlRow(long line, String partition, List<String> key, List<BigDecimal> values) {}
