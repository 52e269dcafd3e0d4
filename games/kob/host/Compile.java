import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles a bot and {@code Play}, the program that runs it. A build starts it from its source, once:
 *
 * <pre>java Compile.java BOT.java HOST_FOLDER</pre>
 *
 * The bot may be in any package or in none, and its class may have any name and need not be public, whatever the
 * file name is: the compiler gets the file under a name that fits every class. The classes are written to
 * HOST_FOLDER/bot; HOST_FOLDER/bot.txt gets the name of the class and, in a second line, whether the classes have state
 * that outlives a turn. If the bot implements a BotInterface of some site (UserBotInterface, BotCodeInterface),
 * which is missing, the interface is made here, and so are the annotations of Spring that such bots carry. {@code Play}
 * is written to HOST_FOLDER/play.jar. Exit status 1, with the compiler's output on stderr, if the file has no bot.
 */
final class Compile {
    private static final String INTERFACE = "BotInterface";

    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final StandardJavaFileManager files =
            compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    private final Path folder;
    private final Text bot;

    private Compile(Path source, Path folder) throws IOException {
        this.folder = folder;
        this.bot = new Text(source.getFileName().toString(), read(source));
    }

    public static void main(String[] words) throws Exception {
        Compile compile = new Compile(Path.of(words[0]), Path.of(words[1]));
        System.exit(compile.bot() && compile.player() ? 0 : 1);
    }

    /** A jar, because only the classes in jars can be shared by an archive. */
    private boolean player() throws IOException {
        Path source = folder.resolve("Play.java");
        Path classes = folder.resolve("play");
        if (!compile(classes, List.of(new Text("Play.java", read(source))))) {
            return false;
        }
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "Play");
        manifest.getMainAttributes().putValue("Add-Opens", "java.base/java.io");
        try (JarOutputStream jar = new JarOutputStream(
                Files.newOutputStream(folder.resolve("play.jar")), manifest)) {
            for (Path file : filesIn(classes)) {
                jar.putNextEntry(new ZipEntry(file.getFileName().toString()));
                Files.copy(file, jar);
                jar.closeEntry();
            }
        }
        return true;
    }

    private static List<Path> filesIn(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.filter(Files::isRegularFile).sorted().collect(Collectors.toList());
        }
    }

    private boolean bot() throws Exception {
        Outline outline = outline();
        List<Text> texts = new ArrayList<>(List.of(bot));
        if (outline.wanted != null) {
            texts.add(interfaceText(outline.wanted));
        }
        outline.annotations.forEach(name -> texts.add(typeText(name, "@interface", " String value() default \"\"; ")));
        Path classes = folder.resolve("bot");
        if (!compile(classes, texts)) {
            return false;
        }
        URL[] path = {classes.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
            String main = botClass(loader, outline.types);
            if (main == null) {
                System.err.println(bot.getName() + ": no class here implements java.util.function.Supplier<Integer> or "
                        + INTERFACE + "; write: public class Bot implements java.util.function.Supplier<Integer>");
                return false;
            }
            String state = isStateless(loader, classes) ? "stateless" : "stateful";
            Files.write(folder.resolve("bot.txt"), List.of(main, state));
        }
        return true;
    }

    /**
     * Whether the classes have no state: none has code that runs when it is loaded, and none has a static field that is
     * not a constant. Such classes need not be loaded anew every turn.
     */
    private static boolean isStateless(ClassLoader loader, Path classes) throws Exception {
        for (Path file : filesIn(classes)) {
            // A class file contains every name literally. A string with this text only costs some time.
            if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains("<clinit>")) {
                return false;
            }
            String name = classes.relativize(file).toString().replace(File.separatorChar, '.');
            Class<?> type = Class.forName(name.substring(0, name.length() - ".class".length()), false, loader);
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && !Modifier.isFinal(field.getModifiers())) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean compile(Path to, List<Text> texts) throws IOException {
        Files.createDirectories(to);
        // Helper classes may be in files beside the bot. The class path is empty.
        List<String> options =
                List.of("-d", to.toString(), "-g", "-nowarn", "-proc:none", "-sourcepath", ".", "-classpath", "");
        return compiler.getTask(null, files, null, options, null, texts).call();
    }

    /** Facts about the file, read without compiling it. The compiler reports errors in it. */
    private Outline outline() throws IOException {
        StringWriter ignored = new StringWriter();
        JavacTask task = (JavacTask)
                compiler.getTask(new PrintWriter(ignored), files, problem -> {}, List.of(), null, List.of(bot));
        Outline outline = new Outline();
        for (CompilationUnitTree unit : task.parse()) {
            String prefix = unit.getPackageName() == null ? "" : unit.getPackageName() + ".";
            boolean own = false;
            outline.noteAnnotations(unit);
            for (Tree tree : unit.getTypeDecls()) {
                if (tree instanceof ClassTree) {
                    ClassTree type = (ClassTree) tree;
                    own |= type.getKind() == Tree.Kind.INTERFACE && isInterface(type.getSimpleName().toString());
                    outline.types.add(prefix + type.getSimpleName());
                    outline.note(type, unit, prefix);
                }
            }
            outline.wanted = own ? null : outline.wanted;
        }
        return outline;
    }

    /** The first class that implements one of the interfaces. */
    private static String botClass(ClassLoader loader, List<String> types) throws Exception {
        for (String name : types) {
            Class<?> type = Class.forName(name, false, loader);
            if (!Modifier.isAbstract(type.getModifiers()) && canBeAsked(type)) {
                return name;
            }
        }
        return null;
    }

    private static boolean canBeAsked(Class<?> type) {
        if (Supplier.class.isAssignableFrom(type)) {
            return true;
        }
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Class<?> face : at.getInterfaces()) {
                if (isInterface(face.getSimpleName())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether an interface is that of a site's bots, by its name without the package; hosts.rs has the same rule. */
    private static boolean isInterface(String name) {
        return name.endsWith("Interface") && name.contains("Bot");
    }

    private static Text interfaceText(String name) {
        return typeText(name, "interface", " Integer nextMove(String input); ");
    }

    private static Text typeText(String name, String kind, String body) {
        int dot = name.lastIndexOf('.');
        String head = dot < 0 ? "" : "package " + name.substring(0, dot) + ";\n";
        String simple = name.substring(dot + 1);
        return new Text(simple + ".java", head + "public " + kind + " " + simple + " {" + body + "}\n");
    }

    private static String read(Path path) throws IOException {
        String text = new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    /** The top-level types of the file, in order, and the BotInterface that one of them implements. */
    private static final class Outline {
        private final List<String> types = new ArrayList<>();
        private final List<String> annotations = new ArrayList<>();
        private String wanted;

        private void note(ClassTree type, CompilationUnitTree unit, String prefix) {
            for (Tree face : type.getImplementsClause()) {
                String name = face.toString();
                String simple = name.substring(name.lastIndexOf('.') + 1);
                if (isInterface(simple)) {
                    wanted = name.equals(simple) ? imported(unit, prefix, simple) : name;
                }
            }
        }

        /** The annotations of Spring's components that the file imports by name. */
        private void noteAnnotations(CompilationUnitTree unit) {
            for (ImportTree line : unit.getImports()) {
                String name = line.getQualifiedIdentifier().toString();
                if (name.startsWith("org.springframework.stereotype.") && !name.endsWith(".*")) {
                    annotations.add(name);
                }
            }
        }

        private static String imported(CompilationUnitTree unit, String prefix, String simple) {
            String wide = prefix + simple;
            for (ImportTree line : unit.getImports()) {
                String name = line.getQualifiedIdentifier().toString();
                if (name.endsWith("." + simple)) {
                    return name;
                }
                if (name.endsWith(".*") && !name.startsWith("java") && !line.isStatic()) {
                    wide = name.substring(0, name.length() - 1) + simple;
                }
            }
            return wide;
        }
    }

    /** A source text that may contain a public class of any name and keeps its own name in messages. */
    private static final class Text extends SimpleJavaFileObject {
        private final String name;
        private final String text;

        private Text(String name, String text) {
            super(uri(name), Kind.SOURCE);
            this.name = name;
            this.text = text;
        }

        private static URI uri(String name) {
            try {
                return new URI("memory", null, "/" + name, null);
            } catch (java.net.URISyntaxException error) {
                throw new IllegalArgumentException(error);
            }
        }

        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isNameCompatible(String simpleName, JavaFileObject.Kind kind) {
            return kind == Kind.SOURCE;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
