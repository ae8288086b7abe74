package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.Tidemark.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page whose fenced {@code sh} blocks are run from the first to the last: {@code scripts/tidemark} in this process, at its
 * entry point, anything else by a shell; but variables and the database are the test's. A block has a name behind {@code sh}, which is unique, and {@code exit=N} if its last
 * command is to end so; {@code exit=any} if that depends on the scale. The folder {@code .local} of the page is one of the test's, {@code ${SCALE:-1}} its scale.
 */
final class CommandPage {
    private static final Pattern FENCE = Pattern.compile("```sh ([a-z0-9-]+)(?: exit=(\\d|any))?");
    private static final Pattern SCALE = Pattern.compile("\\$\\{SCALE:-[0-9.]+}");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");
    private static final List<String> THE_TESTS_OWN = List.of("export ", "scripts/postgres ");
    private static final String PROGRAM = "scripts/tidemark ";

    private final Map<String, List<Result>> results = new LinkedHashMap<>();
    private final Tidemark tidemark;
    private final Path local;
    private final String scale;

    private record Block(String name, List<Integer> exits, List<String> commands) {}

    private CommandPage(Tidemark tidemark, Path local, String scale) {
        this.tidemark = tidemark;
        this.local = local;
        this.scale = scale;
    }

    /** Runs a page. */
    static CommandPage run(Path page, Tidemark tidemark, Path local, String scale)
            throws IOException, InterruptedException {
        CommandPage run = new CommandPage(tidemark, local, scale);
        List<Block> blocks = blocks(Files.readAllLines(page));
        assertThat(blocks).as("blocks of %s", page).isNotEmpty();
        for (Block block : blocks) {
            run.run(block);
        }
        return run;
    }

    private static List<Block> blocks(List<String> lines) {
        List<Block> blocks = new ArrayList<>();
        Block open = null;
        StringBuilder command = new StringBuilder();
        for (String line : lines) {
            Matcher fence = FENCE.matcher(line);
            if (fence.matches()) {
                String exit = fence.group(2) == null ? "0" : fence.group(2);
                List<Integer> exits = exit.equals("any") ? List.of(0, 1) : List.of(Integer.parseInt(exit));
                open = new Block(fence.group(1), exits, new ArrayList<>());
                blocks.add(open);
            } else if (line.startsWith("```")) {
                assertThat(line).as("a block of commands has a name").isNotEqualTo("```sh");
                open = null;
            } else if (open != null && line.endsWith("\\")) {
                command.append(line, 0, line.length() - 1);
            } else if (open != null && !line.isBlank()) {
                command.append(line.strip());
                if (THE_TESTS_OWN.stream().noneMatch(command.toString()::startsWith)) {
                    open.commands().add(command.toString());
                }
                command.setLength(0);
            }
        }
        return blocks;
    }

    private void run(Block block) throws IOException, InterruptedException {
        List<Result> all = new ArrayList<>();
        assertThat(results.put(block.name(), all)).as(block.name()).isNull();
        for (String command : block.commands()) {
            String here = SCALE.matcher(command).replaceAll(scale).replace(".local/", local + "/");
            Result result =
                    here.startsWith(PROGRAM) ? tidemark.runPlain(words(here.substring(PROGRAM.length()))) : shell(here);
            boolean isLast = all.size() == block.commands().size() - 1;
            assertThat(result.status())
                    .as("%s: %s%n%s%n%s", block.name(), here, result.out(), result.err())
                    .isIn(isLast ? block.exits() : List.of(0));
            all.add(result);
        }
    }

    private static String[] words(String command) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(command);
        while (word.find()) {
            if (word.group(3) != null && word.group(3).startsWith("#")) {
                break;
            }
            words.add(word.group(1) != null ? word.group(1) : word.group(2) != null ? word.group(2) : word.group(3));
        }
        return words.toArray(String[]::new);
    }

    private static Result shell(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("bash", "-ec", command)
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), out, "");
    }

    /** What the last command of a block has printed. */
    String out(String block) {
        List<Result> all = results.getOrDefault(block, List.of());
        assertThat(all).as("no block %s", block).isNotEmpty();
        return all.get(all.size() - 1).out();
    }

    /** What a command of a block has printed, counted from 0. */
    String out(String block, int command) {
        return results.getOrDefault(block, List.of()).get(command).out();
    }

    /** What a command of a block has told of its work and its warnings, counted from 0. */
    String err(String block, int command) {
        return results.getOrDefault(block, List.of()).get(command).err();
    }

    /** The number that a pattern's first group finds in what the last command of a block has printed. */
    double number(String block, String pattern) {
        return figure(out(block), pattern);
    }

    /** The number that a pattern's first group finds in a text. */
    static double figure(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern, Pattern.MULTILINE).matcher(text);
        assertThat(matcher.find()).as("%s in%n%s", pattern, text).isTrue();
        return Double.parseDouble(matcher.group(1).replace(",", ""));
    }
}
