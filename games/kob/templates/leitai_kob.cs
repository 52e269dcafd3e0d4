// King of Bots for bots in C#: LeitaiKob.Play(choose) asks for a direction in every round.
//
// Cells are (row, column) from the upper left, both from 0. What you draw with LeitaiViewer is shown on the viewer of
// your matches, to you alone. Standard output belongs to the judge: print to Console.Error.
using System;
using System.Collections.Generic;

/// <summary>A round before both snakes move.</summary>
sealed class State {
    public readonly int Round;
    /// <summary>Whether the tails stay in this round.</summary>
    public readonly bool Grows;
    /// <summary>Directions to choose from.</summary>
    public readonly List<string> Legal;
    /// <summary>Cells from head to tail.</summary>
    public readonly List<(int, int)> Me = new List<(int, int)>(), Other = new List<(int, int)>();
    /// <summary>Walls and snakes.</summary>
    public readonly HashSet<(int, int)> Taken = new HashSet<(int, int)>();

    public State(Json view, Json legal) {
        Round = view["round"].Number();
        Grows = view["grows"].IsTrue;
        Legal = legal.Words;
        foreach (Json snake in view["snakes"].Items)
            (snake["seat"].Word == view["you"].Word ? Me : Other).AddRange(snake["cells"].Cells);
        List<string> map = view["map"].Words;
        for (int row = 0; row < map.Count; row++)
            for (int column = 0; column < map[row].Length; column++)
                if (map[row][column] == '1') Taken.Add((row, column));
        Taken.UnionWith(Me);
        Taken.UnionWith(Other);
    }

    /// <summary>The cell of your head after a move.</summary>
    public (int, int) After(string direction) {
        return LeitaiKob.Step(Me[0], direction);
    }

    /// <summary>How many free cells can be reached from this one, itself included; 0 if it is taken.</summary>
    public int Reach((int, int) cell) {
        var seen = new HashSet<(int, int)>(Taken);
        var open = new List<(int, int)>();
        if (seen.Add(cell)) open.Add(cell);
        for (int at = 0; at < open.Count; at++)
            foreach (string direction in LeitaiKob.Directions) {
                var next = LeitaiKob.Step(open[at], direction);
                if (seen.Add(next)) open.Add(next);
            }
        return open.Count;
    }
}

static class LeitaiKob {
    /// <summary>"0" up, "1" right, "2" down, "3" left.</summary>
    public static readonly string[] Directions = { "0", "1", "2", "3" };

    /// <summary>The neighbour of a cell.</summary>
    public static (int, int) Step((int, int) cell, string direction) {
        int d = Array.IndexOf(Directions, direction);
        return (cell.Item1 + (d == 0 ? -1 : d == 2 ? 1 : 0), cell.Item2 + (d == 1 ? 1 : d == 3 ? -1 : 0));
    }

    /// <summary>Plays a game: choose gives a direction.</summary>
    public static void Play(Func<State, string> choose) {
        Json.AnswerAll((view, legal, setup) => choose(new State(view, legal)));
    }
}
