/**
 * The door to SQL: the text of an expression becomes {@link dev.tidemark.job.Syntax}.
 *
 * <p><b>Takes</b> a text. <b>Gives</b> what it says, each part with its place. <b>May touch</b> Calcite's parser, which no
 * other package sees, and nothing else of Calcite. <b>Promises</b> that whatever is written either comes out as it was
 * meant or is refused with a place.
 */
@NullMarked
package dev.tidemark.job.sql;

import org.jspecify.annotations.NullMarked;
