import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * King of Bots for bots in Java: play(choose) asks for a direction in every round.
 *
 * <p>Cells are {row, column} from the upper left, both from 0. What you draw with LeitaiViewer is shown on the
 * viewer of your matches, to you alone. Standard output belongs to the judge: print to System.err.
 */
final class LeitaiKob {
    static final List<String> DIRECTIONS = List.of("0", "1", "2", "3");

    interface Bot {
        String choose(State state);
    }

    /** A round before both snakes move. */
    static final class State {
        final int round;
        /** Whether the tails stay in this round. */
        final boolean grows;
        /** Directions to choose from. */
        final List<String> legal;
        /** Cells from head to tail. */
        final List<int[]> me = new ArrayList<>(), other = new ArrayList<>();
        /** By row and column: walls and snakes. */
        final boolean[][] taken;

        State(Map<String, Object> view, List<String> legal) {
            round = JsonLines.number(view.get("round"));
            grows = (Boolean) view.get("grows");
            this.legal = legal;
            List<String> map = JsonLines.list(view.get("map"));
            taken = new boolean[map.size()][map.get(0).length()];
            for (int row = 0; row < taken.length; row++)
                for (int column = 0; column < taken[row].length; column++)
                    taken[row][column] = map.get(row).charAt(column) == '1';
            for (Object snake : JsonLines.list(view.get("snakes"))) {
                boolean isMine = JsonLines.map(snake).get("seat").equals(view.get("you"));
                for (int[] cell : JsonLines.cells(JsonLines.map(snake).get("cells"))) {
                    (isMine ? me : other).add(cell);
                    taken[cell[0]][cell[1]] = true;
                }
            }
        }

        /** The cell of your head after a move. */
        int[] after(String direction) {
            return step(me.get(0), direction);
        }

        /** How many free cells can be reached from this one, itself included; 0 if it is taken. */
        int reach(int[] cell) {
            boolean[][] seen = new boolean[taken.length][];
            for (int row = 0; row < taken.length; row++) seen[row] = taken[row].clone();
            List<int[]> open = new ArrayList<>();
            visit(cell, seen, open);
            for (int at = 0; at < open.size(); at++)
                for (String direction : DIRECTIONS) visit(step(open.get(at), direction), seen, open);
            return open.size();
        }

        private static void visit(int[] cell, boolean[][] seen, List<int[]> open) {
            if (seen[cell[0]][cell[1]]) return;
            seen[cell[0]][cell[1]] = true;
            open.add(cell);
        }
    }

    private LeitaiKob() {}

    /** The neighbour of a cell in a direction: "0" up, "1" right, "2" down, "3" left. */
    static int[] step(int[] cell, String direction) {
        int d = DIRECTIONS.indexOf(direction);
        return new int[] {cell[0] + (d == 0 ? -1 : d == 2 ? 1 : 0), cell[1] + (d == 1 ? 1 : d == 3 ? -1 : 0)};
    }

    /** Plays a game. */
    static void play(Bot bot) {
        JsonLines.answerAll((view, legal, setup) -> bot.choose(new State(view, legal)));
    }
}
