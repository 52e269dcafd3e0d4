import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * TankCraft for bots in Java: play(team, bot) names five tanks, then asks for an order for each of them in every round.
 *
 * <p>Cells are {row, column} from the upper left, both from 1. What you draw with LeitaiViewer is shown on the viewer of
 * your matches, to you alone. Standard output belongs to the judge: print to System.err.
 */
final class LeitaiTankcraft {
    private static final List<String> MOVES = List.of("GOUP", "GODOWN", "GOLEFT", "GORIGHT");
    private static final int[][] STEPS = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    private static final Map<String, Integer> RANGE = Map.of("Striker", 3, "Pioneer", 1, "Sniper", 5);
    static final String STOP = "STOP";

    interface Bot {
        String order(State state, Tank tank);
    }

    static final class Tank {
        int id;
        /** Striker, Pioneer or Sniper; null where it is not known. */
        String type;
        int[] cell;
        int life;
    }

    static final class Mine {
        int[] cell;
        /** R, B, or N for nobody. */
        char owner;
    }

    /** A round as your side sees it. */
    static final class State {
        final int round;
        /** R or B. */
        final char me;
        /** Rows of '.' open, '#' stone, '1' and '2' bricks. */
        final List<String> terrain;
        final List<Mine> mines = new ArrayList<>();
        final List<Tank> own = new ArrayList<>();
        /** Those that are seen and alive. */
        final List<Tank> enemies = new ArrayList<>();

        State(Map<String, Object> view, Map<String, Object> setup) {
            round = JsonLines.number(view.get("round"));
            me = view.get("you").equals("first") ? 'R' : 'B';
            terrain = JsonLines.list(view.get("terrain"));
            List<String> map = JsonLines.list(setup.get("map"));
            for (int row = 0; row < map.size(); row++)
                for (int column = 0; column < map.get(row).length(); column++) {
                    if ("rbn".indexOf(map.get(row).charAt(column)) < 0) continue;
                    Mine mine = new Mine();
                    mine.cell = new int[] {row + 1, column + 1};
                    mine.owner = ((String) view.get("owners")).charAt(mines.size());
                    mines.add(mine);
                }
            for (Object json : JsonLines.list(view.get("tanks"))) addTank(JsonLines.map(json));
        }

        private void addTank(Map<String, Object> json) {
            Tank tank = new Tank();
            tank.id = JsonLines.number(json.get("id"));
            tank.type = (String) json.get("type");
            tank.cell = JsonLines.cell(json.get("cell"));
            tank.life = JsonLines.number(json.get("life"));
            if ((tank.id < 5) == (me == 'R')) own.add(tank);
            else if (tank.life > 0 && tank.cell[0] > 0) enemies.add(tank);
        }

        /** The order that begins a shortest way to one of these cells, through bricks too, round your other tanks. */
        String towards(Tank tank, List<int[]> goals) {
            Set<Integer> wanted = new HashSet<>(), seen = new HashSet<>();
            for (int[] goal : goals) wanted.add(goal[0] * 100 + goal[1]);
            for (Tank other : own) if (other.life > 0) seen.add(other.cell[0] * 100 + other.cell[1]);
            List<int[]> open = new ArrayList<>(List.of(tank.cell));
            List<String> firsts = new ArrayList<>(List.of(STOP));
            for (int at = 0; at < open.size(); at++) {
                int[] cell = open.get(at);
                String first = firsts.get(at);
                if (!first.equals(STOP) && wanted.contains(cell[0] * 100 + cell[1])) return first;
                for (int way = 0; way < MOVES.size(); way++) {
                    int[] near = {cell[0] + STEPS[way][0], cell[1] + STEPS[way][1]};
                    char kind = terrainAt(near);
                    if (kind == '#' || !seen.add(near[0] * 100 + near[1])) continue;
                    open.add(near);
                    firsts.add(!first.equals(STOP) ? first : kind == '.' ? MOVES.get(way) : fire(near));
                }
            }
            return STOP;
        }

        /** What is on a cell; '#' outside of the board. */
        char terrainAt(int[] cell) {
            boolean inside = cell[0] >= 1 && cell[0] <= terrain.size() && cell[1] >= 1 && cell[1] <= terrain.get(0).length();
            return inside ? terrain.get(cell[0] - 1).charAt(cell[1] - 1) : '#';
        }
    }

    private LeitaiTankcraft() {}

    /** The order to shoot at a cell. */
    static String fire(int[] cell) {
        return "FIRE:" + cell[0] + ":" + cell[1];
    }

    /** Whether the one can hit the other. */
    static boolean inRange(Tank tank, Tank other) {
        int far = Math.abs(tank.cell[0] - other.cell[0]) + Math.abs(tank.cell[1] - other.cell[1]);
        return far <= RANGE.get(tank.type);
    }

    /** Plays a leg with five types; the bot gives an order for each tank of yours that is alive. */
    static void play(List<String> team, Bot bot) {
        JsonLines.answerAll((view, legal, setup) -> {
            if (JsonLines.number(view.get("round")) == 0) return "Team;" + String.join(";", team);
            State state = new State(view, setup);
            List<String> orders = new ArrayList<>();
            for (Tank tank : state.own) orders.add(tank.life > 0 ? bot.order(state, tank) : STOP);
            return String.join(";", orders);
        });
    }
}
