package dev.tidemark.generate;

import java.time.LocalDate;

/**
 * What was written of the shipments, counted while it was written.
 *
 * @param firstDay the day before the first night
 * @param shipments in all
 * @param settled of these: those that no further night would fetch
 * @param rows fetched in all nights
 * @param copies of each settled one
 */
public record ShipmentsFigures(int nights, LocalDate firstDay, long shipments, long settled, long rows, int copies) {}
