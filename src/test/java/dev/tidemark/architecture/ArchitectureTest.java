package dev.tidemark.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.tidemark.Main;
import dev.tidemark.change.avro.Shapes;
import dev.tidemark.database.Transactions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/**
 * The house rules. A room is a package directly below {@code dev.tidemark}; its doors are the packages in it, named after
 * what they touch; all else of it is pure.
 */
@AnalyzeClasses(packages = ArchitectureTest.ROOT, importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    static final String ROOT = "dev.tidemark";

    private static final Set<String> DOORS = Set.of("flink", "jdbc", "avro", "yaml", "kafka", "sql", "duckdb", "csv");
    private static final String FLINK_GROUND = ROOT + ".wire.flink";
    private static final String ROWS = ROOT + ".source.jdbc";
    private static final String SOURCES = "src/main/java";

    // ---------------------------------------------------------------------------------------------------- directions

    @ArchTest
    static final ArchRule PURE_ROOMS_KNOW_NO_TECHNOLOGY = noClasses()
            .that(arePure())
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                    "org.apache.flink..",
                    "org.apache.kafka..",
                    "java.sql..",
                    "javax.sql..",
                    "org.postgresql..",
                    "org.flywaydb..",
                    "org.apache.avro..",
                    "org.snakeyaml..",
                    "org.apache.calcite..",
                    "com.fasterxml.jackson.dataformat..",
                    "org.duckdb..",
                    "picocli.."));

    @ArchTest
    static final ArchRule PURE_ROOMS_KNOW_NO_DOOR =
            noClasses().that(arePure()).should().dependOnClassesThat(areInADoor());

    /** {@code database} is the ground of the JDBC doors, as {@code wire.flink} is of the Flink ones. */
    @ArchTest
    static final ArchRule PURE_ROOMS_KNOW_NO_DATABASE =
            noClasses().that(arePure()).should().dependOnClassesThat(resideInAPackage(ROOT + ".database.."));

    /** The doors to Kafka, and to rows of a database as a source, lead through Flink's connectors; DuckDB is asked by JDBC. */
    @ArchTest
    static final ArchRule EACH_DOOR_TOUCHES_ITS_OWN_TECHNOLOGY = classes()
            .that(areInADoor())
            .should(new ArchCondition<>("touch no other technology than the one that it is named after") {
                @Override
                public void check(JavaClass door, ConditionEvents events) {
                    door.getDirectDependenciesFromSelf().stream()
                            .filter(dependency -> {
                                String technology = technology(dependency.getTargetClass());
                                return !technology.isEmpty()
                                        && !technology.equals(door(door))
                                        && !(technology.equals("jdbc")
                                                && door(door).equals("duckdb"))
                                        && !(technology.equals("flink")
                                                && (door(door).equals("kafka")
                                                        || door.getPackageName().equals(ROWS)));
                            })
                            .forEach(dependency ->
                                    events.add(SimpleConditionEvent.violated(door, dependency.getDescription())));
                }
            });

    /**
     * But for the grounds, and for one pair: {@code source.avro} frames what {@code change.avro} decodes, so the shape that
     * a schema's data have is said once.
     */
    @ArchTest
    static final ArchRule DOORS_OF_DIFFERENT_ROOMS_DO_NOT_SEE_EACH_OTHER = classes()
            .that(areInADoor())
            .should(new ArchCondition<>("see no door of another room") {
                @Override
                public void check(JavaClass door, ConditionEvents events) {
                    door.getDirectDependenciesFromSelf().stream()
                            .filter(dependency -> {
                                JavaClass target = dependency.getTargetClass();
                                return !door(target).isEmpty()
                                        && !room(target).equals(room(door))
                                        && !target.getPackageName().equals(FLINK_GROUND)
                                        && !(door.getPackageName().equals(ROOT + ".source.avro")
                                                && target.isEquivalentTo(Shapes.class));
                            })
                            .forEach(dependency ->
                                    events.add(SimpleConditionEvent.violated(door, dependency.getDescription())));
                }
            });

    @ArchTest
    static final ArchRule ONLY_THE_PIPELINE_SEES_THE_FLINK_DOORS = noClasses()
            .that(not(resideInAnyPackage(ROOT + "..flink", ROOT + "..kafka", ROWS, ROOT + ".pipeline")))
            .should()
            .dependOnClassesThat(resideInAnyPackage(ROOT + "..flink", ROOT + ".source.kafka", ROWS));

    @ArchTest
    static final ArchRule ONLY_THE_COMMANDS_SEE_THE_OTHER_DOORS = noClasses()
            .that(not(areInADoor()).and(not(resideInAPackage(ROOT + ".cli"))))
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                            ROOT + "..jdbc",
                            ROOT + "..avro",
                            ROOT + "..yaml",
                            ROOT + "..sql",
                            ROOT + "..csv",
                            ROOT + "..duckdb",
                            ROOT + ".generate.kafka")
                    .and(not(resideInAPackage(ROWS))));

    /** The database knows of Flink only how its JDBC connector opens a connection. */
    @ArchTest
    static final ArchRule THE_DATABASE_STANDS_ALONE = noClasses()
            .that()
            .resideInAPackage(ROOT + ".database")
            .should()
            .dependOnClassesThat(resideInAPackage(ROOT + "..")
                    .and(not(resideInAPackage(ROOT + ".database")))
                    .or(resideInAPackage("org.apache.flink..")
                            .and(not(resideInAPackage("org.apache.flink.connector.jdbc..")))));

    @ArchTest
    static final ArchRule ROOMS_FORM_NO_CYCLE =
            slices().matching(ROOT + ".(*)..").should().beFreeOfCycles();

    // ------------------------------------------------------------------------------------------------------- habits

    private static final Set<Class<?>> CLOCKS =
            Set.of(Clock.class, Instant.class, LocalDate.class, LocalDateTime.class, ZonedDateTime.class, Date.class);

    @ArchTest
    static final ArchRule TIME_IS_HANDED_IN = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".cli")
            .should()
            .accessTargetWhere(new DescribedPredicate<JavaAccess<?>>("reads a clock of the machine") {
                @Override
                public boolean test(JavaAccess<?> access) {
                    AccessTarget target = access.getTarget();
                    String name = target.getName();
                    JavaClass owner = target.getOwner();
                    boolean ofTheMachine = name.equals("now")
                            || name.startsWith("system")
                            || name.startsWith("tick")
                            || owner.isEquivalentTo(Date.class);
                    return owner.isEquivalentTo(System.class)
                            ? name.equals("currentTimeMillis") || name.equals("nanoTime")
                            : ofTheMachine && CLOCKS.stream().anyMatch(owner::isEquivalentTo);
                }
            });

    @ArchTest
    static final ArchRule ONLY_MAIN_ENDS_THE_PROCESS =
            noClasses().that().doNotBelongToAnyOf(Main.class).should().callMethod(System.class, "exit", int.class);

    @ArchTest
    static final ArchRule NAMES_SAY_WHAT_A_CLASS_IS =
            classes().should().haveNameNotMatching(".*(Util|Utils|Helper|Manager|Common|Impl)");

    @ArchTest
    static final ArchRule METHODS_ARE_CALLED_AFTER_WHAT_THEY_GIVE = methods()
            .that()
            .haveNameMatching("get[A-Z].*")
            .should(new ArchCondition<>("override a method of others") {
                @Override
                public void check(JavaMethod method, ConditionEvents events) {
                    boolean overrides = Stream.concat(
                                    method.getOwner().getAllRawSuperclasses().stream(),
                                    method.getOwner().getAllRawInterfaces().stream())
                            .filter(parent -> !parent.getPackageName().startsWith(ROOT))
                            .anyMatch(parent -> parent.getMethods().stream()
                                    .anyMatch(inherited -> inherited.getName().equals(method.getName())));
                    if (!overrides) {
                        events.add(SimpleConditionEvent.violated(
                                method, method.getFullName() + " has the prefix of another house"));
                    }
                }
            });

    @ArchTest
    static final ArchRule NOTHING_STATIC_CHANGES = fields().that()
            .areStatic()
            .and()
            .areDeclaredInClassesThat(areWritten())
            .should()
            .beFinal();

    @ArchTest
    static final ArchRule NO_FIELD_IS_OPTIONAL = noFields().should().haveRawType(Optional.class);

    /** Failures are thrown. What goes on all the same and somebody must know of is logged, in three places. */
    @ArchTest
    static final ArchRule LOGGERS_ARE_WHERE_NOBODY_ELSE_IS_TOLD = noClasses()
            .that()
            .doNotBelongToAnyOf(Transactions.class)
            .and()
            .doNotHaveFullyQualifiedName(ROOT + ".source.flink.LogReader")
            .and()
            .doNotHaveFullyQualifiedName(ROOT + ".membership.flink.JudgementOutput")
            .should()
            .dependOnClassesThat(resideInAnyPackage("org.slf4j..", "org.apache.logging.."));

    @ArchTest
    static void everyPackageSaysWhatItIs(JavaClasses all) throws IOException {
        Set<String> packages = all.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());
        for (String name : packages) {
            Path info = Path.of(SOURCES, name.split("\\.")).resolve("package-info.java");
            assertThat(info).exists();
            assertThat(Files.readString(info))
                    .as(name)
                    .startsWith("/**")
                    .contains("@" + NullMarked.class.getSimpleName());
        }
    }

    @ArchTest
    static void everyPackageIsARoomOrADoor(JavaClasses all) {
        for (JavaClass each : all) {
            List<String> levels = levels(each);
            assertThat(levels).as(each.getName()).hasSizeLessThanOrEqualTo(2);
            if (levels.size() == 2) {
                assertThat(DOORS).as(each.getName()).contains(levels.get(1));
            }
        }
    }

    // ------------------------------------------------------------------------------------------------------- the house

    private static DescribedPredicate<JavaClass> arePure() {
        return new DescribedPredicate<>("are in a room's own files") {
            @Override
            public boolean test(JavaClass each) {
                return each.getPackageName().startsWith(ROOT + ".")
                        && door(each).isEmpty()
                        && !Set.of("cli", "pipeline", "database").contains(room(each));
            }
        };
    }

    private static DescribedPredicate<JavaClass> areInADoor() {
        return new DescribedPredicate<>("are in a door") {
            @Override
            public boolean test(JavaClass each) {
                return !door(each).isEmpty();
            }
        };
    }

    /** Classes with a source: the compiler keeps the tables of switches in static fields of classes of its own. */
    private static DescribedPredicate<JavaClass> areWritten() {
        return new DescribedPredicate<>("are written") {
            @Override
            public boolean test(JavaClass each) {
                return !each.getModifiers().contains(JavaModifier.SYNTHETIC);
            }
        };
    }

    private static List<String> levels(JavaClass each) {
        String name = each.getPackageName();
        return name.startsWith(ROOT + ".")
                ? Arrays.asList(name.substring(ROOT.length() + 1).split("\\."))
                : List.of();
    }

    private static String room(JavaClass each) {
        List<String> levels = levels(each);
        return levels.isEmpty() ? "" : levels.get(0);
    }

    private static String door(JavaClass each) {
        List<String> levels = levels(each);
        return levels.size() < 2 ? "" : levels.get(1);
    }

    private static String technology(JavaClass each) {
        String name = each.getPackageName();
        if (name.startsWith("org.apache.kafka") || name.startsWith("org.apache.flink.connector.kafka")) {
            return "kafka";
        }
        if (name.startsWith("org.apache.flink")) {
            return "flink";
        }
        if (name.startsWith("java.sql") || name.startsWith("org.postgresql") || name.startsWith("org.flywaydb")) {
            return "jdbc";
        }
        if (name.startsWith("org.apache.avro")) {
            return "avro";
        }
        if (name.startsWith("com.fasterxml.jackson.dataformat.csv")) {
            return "csv";
        }
        if (name.startsWith("org.apache.calcite")) {
            return "sql";
        }
        if (name.startsWith("org.duckdb")) {
            return "duckdb";
        }
        return name.startsWith("org.snakeyaml") ? "yaml" : "";
    }
}
