package dev.tidemark.generate;

import java.io.IOException;

/**
 * One version of a line of an order of Kestrel, as {@code schemas/order-line.avsc} has it. Times are microseconds since the
 * epoch.
 *
 * @param op {@code c} created, {@code u} changed, {@code d} withdrawn
 * @param orderedAt when the order was placed: the business time of all versions
 * @param updatedAt when the application wrote this version
 * @param ingestedAt when this version could first be seen
 */
record OrderLine(
        long orderId,
        int lineNumber,
        long customerId,
        String productId,
        String status,
        int quantity,
        long cents,
        String op,
        long orderedAt,
        long updatedAt,
        long ingestedAt) {
    OrderLine updated(String status, int quantity, long cents, String op, long updatedAt, long ingestedAt) {
        return new OrderLine(
                orderId,
                lineNumber,
                customerId,
                productId,
                status,
                quantity,
                cents,
                op,
                orderedAt,
                updatedAt,
                ingestedAt);
    }

    OrderLine again(long ingestedAt) {
        return updated(status, quantity, cents, op, updatedAt, ingestedAt);
    }

    void write(RecordWriter out) throws IOException {
        out.begin(orderId, ingestedAt);
        out.number(orderId);
        out.integer(lineNumber);
        out.number(customerId);
        out.text(productId);
        out.text(status);
        out.integer(quantity);
        out.decimal(cents);
        out.text(op);
        out.timestamp(orderedAt);
        out.timestamp(updatedAt);
        out.timestamp(ingestedAt);
        out.end();
    }
}
