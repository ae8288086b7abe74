package dev.tidemark.partition;

/**
 * Which truths of a cell a contribution changes. A cell has two: the published one, of the members that were admitted, and
 * the full one, which knows besides what was late and is withheld.
 */
public enum Layer {
    /** Published and full: what happens to nearly all cells. */
    BOTH,
    /** The published truth only: the full one had lost, or never had, the member. */
    PUBLISHED,
    /** The full truth only: the published one must not show it. */
    WITHHELD
}
