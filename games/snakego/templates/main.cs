// leitai: protocol=json-lines
// A SnakeGo bot to begin with: every snake goes to the nearest item and keeps out of what kills it.
// Its SDK, by name: leitai_snakego.cs
using System.Linq;

static class Program {
    /// Alive first, then a way out, then the way to the nearest item.
    static int Worth(State state, string action) {
        var cell = state.After(action);
        int exits = LeitaiSnakego.Moves.Count(way => state.IsFree(LeitaiSnakego.Step(cell, way)));
        int nearest = state.Items.Select(item => LeitaiSnakego.Distance(cell, item.Cell)).DefaultIfEmpty(99).Min();
        return (state.IsFree(cell) ? 10000 : 0) + (exits > 0 ? 5000 : 0) - 10 * nearest + exits;
    }

    static void Main() {
        LeitaiSnakego.Play(state => {
            string best = state.Legal.OrderByDescending(action => Worth(state, action)).First();
            LeitaiViewer.Line("accent", state.Snake.Cells[0], state.After(best)); // drawn on the viewer of your matches
            return best;
        });
    }
}
