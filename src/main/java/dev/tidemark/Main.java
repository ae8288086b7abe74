package dev.tidemark;

/** The door: arguments in, exit status out. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.out.println("tidemark");
    }
}
