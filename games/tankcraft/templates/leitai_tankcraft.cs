// TankCraft for bots in C#: LeitaiTankcraft.Play(team, order) names five tanks, then asks for an order for each of them
// in every round.
//
// Cells are (row, column) from the upper left, both from 1. What you draw with LeitaiViewer is shown on the viewer of
// your matches, to you alone. Standard output belongs to the judge: print to Console.Error.
using System;
using System.Collections.Generic;

sealed class Tank {
    public int Id;
    /// <summary>Striker, Pioneer or Sniper.</summary>
    public string Type;
    public (int, int) Cell;
    public int Life;
}

sealed class Mine {
    public (int, int) Cell;
    /// <summary>R, B, or N for nobody.</summary>
    public char Owner;
}

/// <summary>A round as your side sees it.</summary>
sealed class State {
    private static readonly string[] Moves = { "GOUP", "GODOWN", "GOLEFT", "GORIGHT" };
    private static readonly (int, int)[] Steps = { (-1, 0), (1, 0), (0, -1), (0, 1) };
    public readonly int Round;
    /// <summary>R or B.</summary>
    public readonly char Me;
    /// <summary>Rows of '.' open, '#' stone, '1' and '2' bricks.</summary>
    public readonly List<string> Terrain;
    public readonly List<Mine> Mines = new List<Mine>();
    public readonly List<Tank> Own = new List<Tank>();
    /// <summary>Those that are seen and alive.</summary>
    public readonly List<Tank> Enemies = new List<Tank>();

    public State(Json view, Json setup) {
        Round = view["round"].Number();
        Me = view["you"].Word == "first" ? 'R' : 'B';
        Terrain = view["terrain"].Words;
        List<string> map = setup["map"].Words;
        for (int row = 0; row < map.Count; row++)
            for (int column = 0; column < map[row].Length; column++)
                if ("rbn".IndexOf(map[row][column]) >= 0)
                    Mines.Add(new Mine { Cell = (row + 1, column + 1), Owner = view["owners"].Word[Mines.Count] });
        foreach (Json json in view["tanks"].Items) {
            var tank = new Tank { Id = json["id"].Number(), Type = json["type"].Word };
            tank.Cell = json["cell"].Cell;
            tank.Life = json["life"].Number();
            if ((tank.Id < 5) == (Me == 'R')) Own.Add(tank);
            else if (tank.Life > 0 && tank.Cell.Item1 > 0) Enemies.Add(tank);
        }
    }

    /// <summary>The order that begins a shortest way to one of these cells, through bricks too.</summary>
    public string Towards(Tank tank, IEnumerable<(int, int)> goals) {
        var wanted = new HashSet<(int, int)>(goals);
        var seen = new HashSet<(int, int)> { tank.Cell };
        foreach (Tank own in Own) if (own.Life > 0) seen.Add(own.Cell);
        var open = new List<(int, int)> { tank.Cell };
        var firsts = new List<string> { LeitaiTankcraft.Stop };
        for (int at = 0; at < open.Count; at++) {
            var cell = open[at];
            bool begins = firsts[at] == LeitaiTankcraft.Stop;
            if (!begins && wanted.Contains(cell)) return firsts[at];
            for (int way = 0; way < Steps.Length; way++) {
                var near = (cell.Item1 + Steps[way].Item1, cell.Item2 + Steps[way].Item2);
                char kind = TerrainAt(near);
                if (kind == '#' || !seen.Add(near)) continue;
                open.Add(near);
                firsts.Add(!begins ? firsts[at] : kind == '.' ? Moves[way] : LeitaiTankcraft.Fire(near));
            }
        }
        return LeitaiTankcraft.Stop;
    }

    /// <summary>What is on a cell; '#' outside of the board.</summary>
    public char TerrainAt((int, int) cell) {
        int row = cell.Item1 - 1, column = cell.Item2 - 1;
        bool inside = row >= 0 && row < Terrain.Count && column >= 0 && column < Terrain[0].Length;
        return inside ? Terrain[row][column] : '#';
    }
}

static class LeitaiTankcraft {
    public const string Stop = "STOP";

    /// <summary>The order to shoot at a cell.</summary>
    public static string Fire((int, int) cell) {
        return "FIRE:" + cell.Item1 + ":" + cell.Item2;
    }

    /// <summary>Whether the one can hit the other.</summary>
    public static bool InRange(Tank tank, Tank other) {
        int range = tank.Type == "Striker" ? 3 : tank.Type == "Sniper" ? 5 : 1;
        return Math.Abs(tank.Cell.Item1 - other.Cell.Item1) + Math.Abs(tank.Cell.Item2 - other.Cell.Item2) <= range;
    }

    /// <summary>Plays a leg with five types: order gives an order for each tank of yours that is alive.</summary>
    public static void Play(string[] team, Func<State, Tank, string> order) {
        Json.AnswerAll((view, legal, setup) => {
            if (view["round"].Number() == 0) return "Team;" + string.Join(";", team);
            var state = new State(view, setup);
            return string.Join(";", state.Own.ConvertAll(tank => tank.Life > 0 ? order(state, tank) : Stop));
        });
    }
}
