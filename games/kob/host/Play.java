import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Plays a bot that {@code Compile} has compiled: one virtual machine for a whole leg.
 *
 * <pre>java -cp HOST_FOLDER/play Play HOST_FOLDER</pre>
 *
 * Each turn it reads an input string, one line of stdin, writes it to input.txt in the working directory, loads the
 * bot's classes anew, so that every static field is as at the beginning, makes a bot, asks it for its move and writes
 * that as one line to stdout. What the bot prints goes to stderr. If it throws, its stack trace goes there, too, and the
 * exit status is 1.
 */
final class Play {
    public static void main(String[] words) throws IOException {
        File folder = new File(words[0]);
        String name = Files.readString(new File(folder, "bot.txt").toPath());
        Code code = new Code(new File(folder, "bot"));
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        FileOutputStream answers = new FileOutputStream(FileDescriptor.out);
        RandomAccessFile file = new RandomAccessFile("input.txt", "rw");
        keepFromProtocol();
        for (String input = questions.readLine(); input != null; input = questions.readLine()) {
            write(file, input);
            answers.write((move(code, name, input) + "\n").getBytes(StandardCharsets.UTF_8));
        }
        // Threads that the bot has left behind do not keep the machine running.
        Runtime.getRuntime().halt(0);
    }

    /** stdin and stdout belong to the judge: the bot reads nothing, and what it prints is its log. */
    private static void keepFromProtocol() {
        BufferedOutputStream stderr = new BufferedOutputStream(new FileOutputStream(FileDescriptor.err), 8192);
        PrintStream log = new PrintStream(stderr, true, StandardCharsets.UTF_8);
        System.setOut(log);
        System.setErr(log);
        System.setIn(new ByteArrayInputStream(new byte[0]));
    }

    /** Written over in place: to empty a file and fill it again costs ten times as much on a usual disk. */
    private static void write(RandomAccessFile file, String input) throws IOException {
        byte[] bytes = (input + "\n").getBytes(StandardCharsets.UTF_8);
        file.seek(0);
        file.write(bytes);
        if (file.length() > bytes.length) {
            file.setLength(bytes.length);
        }
    }

    private static int move(Code code, String name, String input) {
        try {
            Object answer = ask(Class.forName(name, true, new Fresh(code)), input);
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

    private static Object ask(Class<?> type, String input) throws Throwable {
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        try {
            Object bot = constructor.newInstance();
            if (bot instanceof Supplier) {
                return ((Supplier<?>) bot).get();
            }
            Method method = type.getMethod("nextMove", String.class);
            method.setAccessible(true);
            return method.invoke(bot, input);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    /** Says what the bot threw, without the frames below the bot, and the gist again at the end, where it is seen. */
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

    /** The bot's compiled classes, read when first needed and then kept. */
    private static final class Code {
        private final File folder;
        private final Map<String, byte[]> known = new HashMap<>();

        private Code(File folder) {
            this.folder = folder;
        }

        private synchronized byte[] of(String name) throws ClassNotFoundException {
            byte[] code = known.get(name);
            if (code == null) {
                try {
                    code = Files.readAllBytes(new File(folder, name.replace('.', '/') + ".class").toPath());
                } catch (IOException error) {
                    throw new ClassNotFoundException(name, error);
                }
                known.put(name, code);
            }
            return code;
        }
    }

    /** The bot's classes in one turn. The library is shared, this program is out of sight. */
    private static final class Fresh extends ClassLoader {
        private final Code code;

        private Fresh(Code code) {
            super(ClassLoader.getPlatformClassLoader());
            this.code = code;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] bytes = code.of(name);
            return defineClass(name, bytes, 0, bytes.length);
        }
    }
}
