package dev.tidemark.kit;

import dev.tidemark.job.Expression;
import dev.tidemark.job.Field;
import dev.tidemark.job.Function;
import dev.tidemark.job.JobPlan.Deletion;
import org.jspecify.annotations.Nullable;

/**
 * The two plain forms of a delete, taken apart again: a boolean field, or a text field that is a text.
 *
 * @param literal null: the field is a boolean
 */
record DeleteForm(Field field, @Nullable String literal) {

    static @Nullable DeleteForm of(@Nullable Deletion deletion) {
        if (deletion == null) {
            return null;
        }
        if (deletion.condition() instanceof Expression.Reference reference) {
            return new DeleteForm(reference.field(), null);
        }
        if (deletion.condition() instanceof Expression.Call call
                && call.function() == Function.EQUAL
                && call.arguments().get(0) instanceof Expression.Reference reference
                && call.arguments().get(1) instanceof Expression.Literal literal
                && literal.value() instanceof String text) {
            return new DeleteForm(reference.field(), text);
        }
        throw new IllegalArgumentException(deletion + " is not one of the plain forms");
    }
}
