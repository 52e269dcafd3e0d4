import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * SnakeGo for bots in Java: play(choose) asks for an action whenever one of your snakes has to act.
 *
 * <p>Cells are {x, y} from the lower left, both from 0. What you draw with LeitaiViewer is shown on the viewer of your
 * matches, to you alone. Standard output belongs to the judge: print to System.err.
 */
final class LeitaiSnakego {
    static final List<String> MOVES = List.of("1", "2", "3", "4");

    interface Bot {
        String choose(State state);
    }

    static final class Snake {
        int id;
        boolean mine;
        /** Cells it will still grow. */
        int bank;
        boolean ray;
        /** From head to tail. */
        List<int[]> cells;
    }

    static final class Item {
        int[] cell;
        /** 0 grows by `param` cells, 2 brings a ray. */
        int type;
        int param;
        /** The last round in which it lies there. */
        int expires;
    }

    /** A moment in which one of your snakes acts. */
    static final class State {
        final int length, width, round, rounds;
        /** Actions to choose from. */
        final List<String> legal;
        /** The one that acts. */
        Snake snake;
        final List<Snake> snakes = new ArrayList<>();
        final List<Item> items = new ArrayList<>();
        final List<int[]> myWalls, otherWalls;
        /** By x and y: walls and snakes. */
        final boolean[][] taken;

        State(Map<String, Object> view, List<String> legal, Map<String, Object> setup) {
            length = JsonLines.number(setup.getOrDefault("length", 16.0));
            width = JsonLines.number(setup.getOrDefault("width", 16.0));
            round = JsonLines.number(view.get("round"));
            rounds = JsonLines.number(view.get("rounds"));
            this.legal = legal;
            taken = new boolean[length][width];
            int mine = view.get("you").equals("first") ? 0 : 1;
            List<Object> walls = JsonLines.list(view.get("walls"));
            myWalls = take(JsonLines.cells(walls.get(mine)));
            otherWalls = take(JsonLines.cells(walls.get(1 - mine)));
            for (Object json : JsonLines.list(view.get("snakes"))) addSnake(JsonLines.map(json), view);
            for (Object json : JsonLines.list(view.get("items"))) addItem(JsonLines.map(json));
        }

        private void addSnake(Map<String, Object> json, Map<String, Object> view) {
            Snake own = new Snake();
            own.id = JsonLines.number(json.get("id"));
            own.mine = json.get("seat").equals(view.get("you"));
            own.bank = JsonLines.number(json.get("bank"));
            own.ray = (Boolean) json.get("ray");
            own.cells = take(JsonLines.cells(json.get("cells")));
            snakes.add(own);
            if (own.id == JsonLines.number(view.get("snake"))) snake = own;
        }

        private void addItem(Map<String, Object> json) {
            Item item = new Item();
            item.cell = new int[] {JsonLines.number(json.get("x")), JsonLines.number(json.get("y"))};
            item.type = JsonLines.number(json.get("type"));
            item.param = JsonLines.number(json.get("param"));
            item.expires = JsonLines.number(json.get("expires"));
            items.add(item);
        }

        private List<int[]> take(List<int[]> cells) {
            for (int[] cell : cells) taken[cell[0]][cell[1]] = true;
            return cells;
        }

        /** The cell of the head after an action; a ray and a split leave it where it is. */
        int[] after(String action) {
            return step(snake.cells.get(0), action);
        }

        /** Whether it is on the board, and neither wall nor snake. */
        boolean isFree(int[] cell) {
            boolean inside = cell[0] >= 0 && cell[0] < length && cell[1] >= 0 && cell[1] < width;
            return inside && !taken[cell[0]][cell[1]];
        }
    }

    private LeitaiSnakego() {}

    /** The neighbour of a cell: "1" +x, "2" +y, "3" -x, "4" -y; "5", a ray, and "6", a split, stay where they are. */
    static int[] step(int[] cell, String action) {
        int move = MOVES.indexOf(action);
        return new int[] {cell[0] + (move == 0 ? 1 : move == 2 ? -1 : 0), cell[1] + (move == 1 ? 1 : move == 3 ? -1 : 0)};
    }

    /** The steps between two cells on an empty board. */
    static int distance(int[] one, int[] other) {
        return Math.abs(one[0] - other[0]) + Math.abs(one[1] - other[1]);
    }

    /** Plays a leg. */
    static void play(Bot bot) {
        JsonLines.answerAll((view, legal, setup) -> bot.choose(new State(view, legal, setup)));
    }
}
