// A King of Bots bot to begin with, as the sites want it: it goes where the most free cells can be reached.
// Each round input.txt holds MAP#my row#my column#(my steps)#your row#your column#(your steps); get() gives
// 0 up, 1 right, 2 down, 3 left. What goes to System.err is your own log, shown beside the replay.
import java.io.File;
import java.io.FileNotFoundException;
import java.util.ArrayDeque;
import java.util.Scanner;

public class Bot implements java.util.function.Supplier<Integer> {
    static final int ROWS = 13, COLUMNS = 14;
    static final int[] DOWN = {-1, 0, 1, 0}, RIGHT = {0, 1, 0, -1};

    static boolean grows(int step) {
        return step <= 10 || step % 3 == 1;
    }

    /** The cells of a snake from tail to head. */
    static ArrayDeque<int[]> body(int row, int column, String steps) {
        ArrayDeque<int[]> cells = new ArrayDeque<>();
        cells.add(new int[] {row, column});
        int number = 0;
        for (char digit : steps.toCharArray()) {
            if (digit < '0' || digit > '3') continue; // the brackets
            row += DOWN[digit - '0'];
            column += RIGHT[digit - '0'];
            cells.add(new int[] {row, column});
            if (!grows(++number)) cells.removeFirst();
        }
        return cells;
    }

    static boolean isFree(boolean[][] board, int row, int column) {
        return row >= 0 && row < ROWS && column >= 0 && column < COLUMNS && !board[row][column];
    }

    static int reach(boolean[][] board, int row, int column) {
        if (!isFree(board, row, column)) return 0;
        boolean[][] seen = new boolean[ROWS][];
        for (int r = 0; r < ROWS; r++) seen[r] = board[r].clone();
        ArrayDeque<int[]> open = new ArrayDeque<>();
        open.add(new int[] {row, column});
        seen[row][column] = true;
        int count = 0;
        while (!open.isEmpty()) {
            int[] cell = open.removeFirst();
            count++;
            for (int d = 0; d < 4; d++) {
                int r = cell[0] + DOWN[d], c = cell[1] + RIGHT[d];
                if (!isFree(seen, r, c)) continue;
                seen[r][c] = true;
                open.add(new int[] {r, c});
            }
        }
        return count;
    }

    public Integer nextMove(String input) {
        String[] parts = input.split("#");
        boolean[][] board = new boolean[ROWS][COLUMNS];
        for (int at = 0; at < ROWS * COLUMNS; at++) board[at / COLUMNS][at % COLUMNS] = parts[0].charAt(at) == '1';
        ArrayDeque<int[]> me = body(Integer.parseInt(parts[1]), Integer.parseInt(parts[2]), parts[3]);
        ArrayDeque<int[]> you = body(Integer.parseInt(parts[4]), Integer.parseInt(parts[5]), parts[6]);
        for (int[] cell : me) board[cell[0]][cell[1]] = true;
        for (int[] cell : you) board[cell[0]][cell[1]] = true;
        int[] head = me.getLast();
        int best = 0, most = -1;
        for (int d = 0; d < 4; d++) {
            int cells = reach(board, head[0] + DOWN[d], head[1] + RIGHT[d]);
            if (cells > most) {
                most = cells;
                best = d;
            }
        }
        return best;
    }

    @Override
    public Integer get() {
        try (Scanner scanner = new Scanner(new File("input.txt"))) {
            return nextMove(scanner.next());
        } catch (FileNotFoundException e) {
            throw new RuntimeException(e);
        }
    }
}
