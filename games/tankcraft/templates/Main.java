// leitai: protocol=json-lines
// A TankCraft bot to begin with: every tank shoots the weakest enemy in range, or goes to a mine that is not ours.
import java.util.*;

public class Main {
    static String order(LeitaiTankcraft.State state, LeitaiTankcraft.Tank tank) {
        LeitaiTankcraft.Tank weakest = null;
        for (LeitaiTankcraft.Tank enemy : state.enemies)
            if (LeitaiTankcraft.inRange(tank, enemy) && (weakest == null || enemy.life < weakest.life)) weakest = enemy;
        List<int[]> goals = new ArrayList<>();
        for (LeitaiTankcraft.Mine mine : state.mines) if (mine.owner != state.me) goals.add(mine.cell);
        if (weakest == null) return state.towards(tank, goals);
        LeitaiViewer.mark("bad", weakest.cell); // drawn on the viewer of your matches
        return LeitaiTankcraft.fire(weakest.cell);
    }

    public static void main(String[] args) {
        LeitaiTankcraft.play(List.of("Striker", "Striker", "Pioneer", "Pioneer", "Sniper"), Main::order);
    }
}
