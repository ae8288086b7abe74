package dev.tidemark.expression;

import dev.tidemark.job.Function;

/** Conditions of conditions, in three-valued logic. */
final class Logic {
    private Logic() {}

    /** {@code and}: false if a part is, else null if a part is. */
    static final class And extends Evaluator {
        private final Evaluator[] parts;

        And(Evaluator[] parts) {
            this.parts = parts;
        }

        @Override
        boolean evaluate(Slots row) {
            boolean isKnown = true;
            for (Evaluator part : parts) {
                if (!part.evaluate(row)) {
                    isKnown = false;
                } else if (part.fixed == 0) {
                    return truth(false);
                }
            }
            return isKnown && truth(true);
        }
    }

    /** {@code or}: true if a part is, else null if a part is. */
    static final class Or extends Evaluator {
        private final Evaluator[] parts;

        Or(Evaluator[] parts) {
            this.parts = parts;
        }

        @Override
        boolean evaluate(Slots row) {
            boolean isKnown = true;
            for (Evaluator part : parts) {
                if (!part.evaluate(row)) {
                    isKnown = false;
                } else if (part.fixed != 0) {
                    return truth(true);
                }
            }
            return isKnown && truth(false);
        }
    }

    /** {@code not}. */
    static final class Not extends Evaluator {
        private final Evaluator condition;

        Not(Evaluator condition) {
            this.condition = condition;
        }

        @Override
        boolean evaluate(Slots row) {
            return condition.evaluate(row) && truth(condition.fixed == 0);
        }
    }

    /** {@code is null}, {@code is true} and their like, which are never null. */
    static final class Test extends Evaluator {
        private final Evaluator tested;
        private final boolean ofNull;
        private final boolean ofTrue;
        private final boolean ofFalse;

        private Test(Evaluator tested, boolean ofNull, boolean ofTrue, boolean ofFalse) {
            this.tested = tested;
            this.ofNull = ofNull;
            this.ofTrue = ofTrue;
            this.ofFalse = ofFalse;
        }

        static Test of(Function function, Evaluator tested) {
            return switch (function) {
                case IS_NULL -> new Test(tested, true, false, false);
                case IS_NOT_NULL -> new Test(tested, false, true, true);
                case IS_TRUE -> new Test(tested, false, true, false);
                case IS_NOT_TRUE -> new Test(tested, true, false, true);
                case IS_FALSE -> new Test(tested, false, false, true);
                case IS_NOT_FALSE -> new Test(tested, true, true, false);
                default -> throw new IllegalArgumentException(function + " tests nothing");
            };
        }

        @Override
        boolean evaluate(Slots row) {
            if (!tested.evaluate(row)) {
                return truth(ofNull);
            }
            return truth(tested.fixed != 0 ? ofTrue : ofFalse);
        }
    }
}
