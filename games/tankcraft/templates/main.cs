// leitai: protocol=json-lines
// A TankCraft bot to begin with: every tank shoots the weakest enemy in range, or goes to a mine that is not ours.
// Its SDK, by name: leitai_tankcraft.cs
using System.Linq;

static class Program {
    static string Order(State state, Tank tank) {
        var inRange = state.Enemies.Where(enemy => LeitaiTankcraft.InRange(tank, enemy));
        Tank weakest = inRange.OrderBy(enemy => enemy.Life).FirstOrDefault();
        if (weakest == null)
            return state.Towards(tank, state.Mines.Where(mine => mine.Owner != state.Me).Select(mine => mine.Cell));
        LeitaiViewer.Mark("bad", weakest.Cell); // drawn on the viewer of your matches
        return LeitaiTankcraft.Fire(weakest.Cell);
    }

    static void Main() {
        LeitaiTankcraft.Play(new[] { "Striker", "Striker", "Pioneer", "Pioneer", "Sniper" }, Order);
    }
}
