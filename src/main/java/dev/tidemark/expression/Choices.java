package dev.tidemark.expression;

/** Nodes that take on the value of one of their parts. */
final class Choices {
    private Choices() {}

    /** {@code case}. */
    static final class Case extends Evaluator {
        private final Evaluator[] conditions;
        private final Evaluator[] results;
        private final Evaluator otherwise;

        Case(Evaluator[] conditions, Evaluator[] results, Evaluator otherwise) {
            this.conditions = conditions;
            this.results = results;
            this.otherwise = otherwise;
        }

        @Override
        boolean evaluate(Slots row) {
            for (int i = 0; i < conditions.length; i++) {
                if (conditions[i].isTrue(row)) {
                    return results[i].evaluate(row) && take(results[i]);
                }
            }
            return otherwise.evaluate(row) && take(otherwise);
        }
    }

    /** {@code coalesce}. */
    static final class Coalesce extends Evaluator {
        private final Evaluator[] parts;

        Coalesce(Evaluator[] parts) {
            this.parts = parts;
        }

        @Override
        boolean evaluate(Slots row) {
            for (Evaluator part : parts) {
                if (part.evaluate(row)) {
                    return take(part);
                }
            }
            return false;
        }
    }

    /** {@code nullif}. */
    static final class NullIf extends Evaluator {
        private final Evaluator value;
        private final Evaluator other;
        private final Order order;

        NullIf(Evaluator value, Evaluator other, Order order) {
            this.value = value;
            this.other = other;
            this.order = order;
        }

        @Override
        boolean evaluate(Slots row) {
            if (!value.evaluate(row)) {
                return false;
            }
            boolean isEqual = other.evaluate(row) && order.areEqual(value, other);
            return !isEqual && take(value);
        }
    }

    /** {@code greatest} and {@code least}, which pass over nulls. */
    static final class Extreme extends Evaluator {
        private final Evaluator[] parts;
        private final Order order;
        private final boolean greatest;

        Extreme(Evaluator[] parts, Order order, boolean greatest) {
            this.parts = parts;
            this.order = order;
            this.greatest = greatest;
        }

        @Override
        boolean evaluate(Slots row) {
            Evaluator best = null;
            for (Evaluator part : parts) {
                if (part.evaluate(row)) {
                    int compared = best == null ? 1 : greatest ? order.compare(part, best) : order.compare(best, part);
                    best = compared > 0 ? part : best;
                }
            }
            return best != null && take(best);
        }
    }
}
