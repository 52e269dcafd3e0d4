import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs a bot that {@code Compile} has compiled: one virtual machine for a whole leg.
 *
 * <pre>java -jar play.jar HOST_FOLDER 3<&0 4>&1 </dev/null >&2</pre>
 *
 * Each turn it reads an input string, one line of descriptor 3, writes it to input.txt in the working directory, makes a
 * bot, asks it for its move and writes the move as one line to descriptor 4. The bot's classes are loaded anew, so that
 * every static field has its initial value; a bot without such fields keeps its classes. The judge's stdin and
 * stdout have other numbers here, so that neither the bot nor the virtual machine can write to them by mistake.
 * If the bot throws, its stack trace goes to stderr, and the exit status is 1.
 *
 * <pre>java -jar play.jar HOST_FOLDER rehearse</pre>
 *
 * only runs the part before the first question, for the archive of loaded classes that a build makes.
 */
final class Play {
    private static final int QUESTIONS = 3;
    private static final int ANSWERS = 4;

    public static void main(String[] words) throws Exception {
        File folder = new File(words[0]);
        List<String> facts = Files.readAllLines(folder.toPath().resolve("bot.txt"));
        boolean stateless = facts.get(1).equals("stateless");
        rehearse(folder, stateless);
        if (words.length > 1) {
            return;
        }
        Bot bot = new Bot(facts.get(0), Bot.classesIn(folder.toPath().resolve("bot")), stateless);
        Lines questions = new Lines(new FileInputStream(descriptor(QUESTIONS)));
        FileOutputStream answers = new FileOutputStream(descriptor(ANSWERS));
        RandomAccessFile file = inputFile(Path.of("input.txt"));
        redirectStreams();
        bot.prepare();
        while (questions.next()) {
            write(file, questions);
            answers.write(answer(move(bot, questions)));
            bot.prepare();
        }
        // Threads of the bot do not keep the virtual machine running.
        Runtime.getRuntime().halt(0);
    }

    /** A file descriptor by its number. The jar's manifest opens java.io for this. */
    private static FileDescriptor descriptor(int number) throws ReflectiveOperationException {
        Constructor<FileDescriptor> constructor = FileDescriptor.class.getDeclaredConstructor(int.class);
        constructor.setAccessible(true);
        return constructor.newInstance(number);
    }

    /** The stdin of the bot is empty, and its output is its log, in the order of printing. */
    private static void redirectStreams() {
        BufferedOutputStream stderr = new BufferedOutputStream(new FileOutputStream(FileDescriptor.err), 8192);
        PrintStream log = new PrintStream(stderr, true, StandardCharsets.UTF_8);
        System.setOut(log);
        System.setErr(log);
        System.setIn(new ByteArrayInputStream(new byte[0]));
    }

    /** An input.txt that was copied with the bot is a link to a read-only file. */
    private static RandomAccessFile inputFile(Path path) throws IOException {
        Files.deleteIfExists(path);
        return new RandomAccessFile(path.toFile(), "rw");
    }

    /** Overwrites the file in place: truncating and writing it costs ten times as much on a usual disk. */
    private static void write(RandomAccessFile file, Lines line) throws IOException {
        file.seek(0);
        file.write(line.bytes, line.start, line.length);
        if (file.length() > line.length) {
            file.setLength(line.length);
        }
    }

    private static byte[] answer(int move) {
        return (move + "\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    private static int move(Bot bot, Lines input) {
        try {
            Object answer = bot.ask(input);
            System.out.flush();
            if (answer instanceof Integer) {
                return (Integer) answer;
            }
            throw new IllegalStateException("the bot returned " + answer + "; 0, 1, 2 or 3 is expected");
        } catch (Throwable thrown) {
            fail(thrown);
            return -1;
        }
    }

    /**
     * Plays turns with a bot that does nothing, so that the virtual machine has compiled the code of a turn before the
     * first question. No code of the real bot runs.
     */
    private static void rehearse(File folder, boolean stateless) throws IOException {
        final int turns = 300;
        final long most = 150_000_000;
        long start = System.nanoTime();
        byte[] question = ("0".repeat(182) + "#11#1#(0123012301)#1#12#(2301230123)\n").getBytes(StandardCharsets.UTF_8);
        Map<String, byte[]> code = Map.of("Idle", Files.readAllBytes(folder.toPath().resolve("play/Idle.class")));
        Bot idle = new Bot("Idle", code, stateless);
        Lines questions = new Lines(new ByteArrayInputStream(question) {
            @Override
            public synchronized int read(byte[] to, int offset, int length) {
                reset();
                return super.read(to, offset, length);
            }
        });
        for (int turn = 0; turn < turns && System.nanoTime() - start < most; turn++) {
            questions.next();
            answer(move(idle, questions));
            idle.prepare();
        }
    }

    /** Prints the bot's exception without the frames below the bot, and a summary at the end, where it is seen. */
    private static void fail(Throwable thrown) {
        Throwable root = thrown;
        for (int depth = 0; depth < 16; depth++) {
            root.setStackTrace(ofBot(root.getStackTrace()));
            if (root.getCause() == null) {
                break;
            }
            root = root.getCause();
        }
        thrown.printStackTrace();
        StackTraceElement at = place(root.getStackTrace());
        System.err.println("the bot threw " + root + (at == null ? "" : ", at " + at));
        System.err.flush();
        Runtime.getRuntime().halt(1);
    }

    private static StackTraceElement[] ofBot(StackTraceElement[] trace) {
        int count = 0;
        while (count < trace.length && !trace[count].getClassName().equals("Play")
                && !trace[count].getClassName().startsWith("Play$")
                && !trace[count].getClassName().startsWith("jdk.internal.reflect.")
                && !trace[count].getClassName().startsWith("java.lang.reflect.")) {
            count++;
        }
        return java.util.Arrays.copyOf(trace, count);
    }

    /** The innermost frame that is not the library's. */
    private static StackTraceElement place(StackTraceElement[] trace) {
        for (StackTraceElement frame : trace) {
            if (frame.getModuleName() == null) {
                return frame;
            }
        }
        return null;
    }

    /** The bot that is asked for moves. */
    private static final class Bot {
        private final String name;
        private final Map<String, byte[]> code;
        private final boolean stateless;
        private final int threads = Thread.activeCount();
        private Class<?> loaded;
        /** Whether a turn was played with the loaded classes. */
        private boolean used;

        private Bot(String name, Map<String, byte[]> code, boolean stateless) {
            this.name = name;
            this.code = code;
            this.stateless = stateless;
        }

        /** The compiled classes in a folder by their names. */
        private static Map<String, byte[]> classesIn(Path folder) throws IOException {
            Map<String, byte[]> code = new HashMap<>();
            try (Stream<Path> paths = Files.walk(folder)) {
                for (Path path : paths.filter(Files::isRegularFile).collect(Collectors.toList())) {
                    String name = folder.relativize(path).toString().replace(File.separatorChar, '.');
                    code.put(name.substring(0, name.length() - ".class".length()), Files.readAllBytes(path));
                }
            }
            return code;
        }

        private Object ask(Lines input) throws Throwable {
            // Initialises the class.
            Class<?> type = Class.forName(name, true, loaded().getClassLoader());
            Constructor<?> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            try {
                Object bot = constructor.newInstance();
                if (bot instanceof Supplier) {
                    return ((Supplier<?>) bot).get();
                }
                Method method = type.getMethod("nextMove", String.class);
                method.setAccessible(true);
                return method.invoke(bot, input.text());
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            } finally {
                used = true;
            }
        }

        /**
         * Loads the classes for the next turn between turns, without running their code: static initialisers belong to
         * the turn.
         */
        private void prepare() {
            try {
                Class<?> type = loaded();
                // Of many classes a turn needs few.
                if (!used && code.size() <= 32) {
                    for (String each : code.keySet()) {
                        // Looking at the constructors verifies and links a class.
                        Class.forName(each, false, type.getClassLoader()).getDeclaredConstructors();
                    }
                }
            } catch (Throwable later) {
                // The turn that needs the class will report the error.
            }
        }

        /** The classes are kept only if no thread of the bot is left, which might hold their locks. */
        private Class<?> loaded() throws ClassNotFoundException {
            if (loaded == null || used && (!stateless || Thread.activeCount() > threads)) {
                loaded = Class.forName(name, false, new Fresh(code));
                used = false;
            }
            return loaded;
        }
    }

    /** The bot's classes, loaded once more. The library is shared; the classes of this program are not visible. */
    private static final class Fresh extends ClassLoader {
        private final Map<String, byte[]> code;

        private Fresh(Map<String, byte[]> code) {
            super(ClassLoader.getPlatformClassLoader());
            this.code = code;
        }

        /** The library is not searched for the bot's own classes: that would take half of the time. */
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            byte[] bytes = code.get(name);
            if (bytes == null) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : defineClass(name, bytes, 0, bytes.length);
            }
        }
    }

    /** Lines of a stream as bytes, without a copy. */
    private static final class Lines {
        private final InputStream from;
        private byte[] bytes = new byte[8192];
        private int end;
        /** The beginning of the line, and its length with its end. */
        private int start;
        private int length;

        private Lines(InputStream from) {
            this.from = from;
        }

        /** Goes to the next line; false if there is none. */
        private boolean next() throws IOException {
            start += length;
            for (length = 0; ; length++) {
                if (start + length == end && !fill()) {
                    return false;
                }
                if (bytes[start + length] == '\n') {
                    length++;
                    return true;
                }
            }
        }

        private boolean fill() throws IOException {
            System.arraycopy(bytes, start, bytes, 0, end - start);
            end -= start;
            start = 0;
            if (end == bytes.length) {
                bytes = java.util.Arrays.copyOf(bytes, 2 * end);
            }
            int count = from.read(bytes, end, bytes.length - end);
            end += Math.max(count, 0);
            return count > 0;
        }

        private String text() {
            return new String(bytes, start, length - 1, StandardCharsets.UTF_8);
        }
    }
}

/** A bot that does nothing. */
final class Idle implements Supplier<Integer> {
    @Override
    public Integer get() {
        return 0;
    }
}
