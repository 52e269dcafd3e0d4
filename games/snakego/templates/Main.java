// leitai: protocol=json-lines
// A SnakeGo bot to begin with: every snake goes to the nearest item and keeps out of what kills it.
import java.util.Comparator;

public class Main {
    /** Alive first, then a way out, then the way to the nearest item. */
    static int worth(LeitaiSnakego.State state, String action) {
        int[] cell = state.after(action);
        int exits = 0, nearest = 99;
        for (String way : LeitaiSnakego.MOVES) if (state.isFree(LeitaiSnakego.step(cell, way))) exits++;
        for (LeitaiSnakego.Item item : state.items) nearest = Math.min(nearest, LeitaiSnakego.distance(cell, item.cell));
        return (state.isFree(cell) ? 10000 : 0) + (exits > 0 ? 5000 : 0) - 10 * nearest + exits;
    }

    public static void main(String[] args) {
        LeitaiSnakego.play(state -> {
            String best = state.legal.stream().max(Comparator.comparing(action -> worth(state, action))).get();
            LeitaiViewer.line("accent", state.snake.cells.get(0), state.after(best)); // drawn on the viewer
            return best;
        });
    }
}
