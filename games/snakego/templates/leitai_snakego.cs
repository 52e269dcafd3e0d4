// SnakeGo for bots in C#: LeitaiSnakego.Play(choose) asks for an action whenever one of your snakes has to act.
//
// Cells are (x, y) from the lower left, both from 0. What you draw with LeitaiViewer is shown on the viewer of your
// matches, to you alone. Standard output belongs to the judge: print to Console.Error.
using System;
using System.Collections.Generic;

sealed class Snake {
    public int Id;
    public bool Mine;
    /// <summary>Cells it will still grow.</summary>
    public int Bank;
    public bool Ray;
    /// <summary>From head to tail.</summary>
    public List<(int, int)> Cells;
}

sealed class Item {
    public (int, int) Cell;
    /// <summary>0 grows by Param cells, 2 brings a ray.</summary>
    public int Type;
    public int Param;
    /// <summary>The last round in which it lies there.</summary>
    public int Expires;
}

/// <summary>A moment in which one of your snakes acts.</summary>
sealed class State {
    public readonly int Length, Width, Round, Rounds;
    /// <summary>Actions to choose from.</summary>
    public readonly List<string> Legal;
    /// <summary>The one that acts.</summary>
    public readonly Snake Snake;
    public readonly List<Snake> Snakes;
    public readonly List<Item> Items;
    public readonly List<(int, int)> MyWalls, OtherWalls;
    /// <summary>Walls and snakes.</summary>
    public readonly HashSet<(int, int)> Taken = new HashSet<(int, int)>();

    public State(Json view, Json legal, Json setup) {
        Length = setup["length"].Number(16);
        Width = setup["width"].Number(16);
        Round = view["round"].Number();
        Rounds = view["rounds"].Number();
        Legal = legal.Words;
        Snakes = view["snakes"].Items.ConvertAll(own => new Snake {
            Id = own["id"].Number(), Mine = own["seat"].Word == view["you"].Word, Bank = own["bank"].Number(),
            Ray = own["ray"].IsTrue, Cells = own["cells"].Cells
        });
        Snake = Snakes.Find(snake => snake.Id == view["snake"].Number());
        Items = view["items"].Items.ConvertAll(item => new Item {
            Cell = (item["x"].Number(), item["y"].Number()), Type = item["type"].Number(),
            Param = item["param"].Number(), Expires = item["expires"].Number()
        });
        int mine = view["you"].Word == "first" ? 0 : 1;
        MyWalls = view["walls"].Items[mine].Cells;
        OtherWalls = view["walls"].Items[1 - mine].Cells;
        Taken.UnionWith(MyWalls);
        Taken.UnionWith(OtherWalls);
        foreach (Snake snake in Snakes) Taken.UnionWith(snake.Cells);
    }

    /// <summary>The cell of the head after an action; a ray and a split leave it where it is.</summary>
    public (int, int) After(string action) {
        return LeitaiSnakego.Step(Snake.Cells[0], action);
    }

    /// <summary>Whether it is on the board, and neither wall nor snake.</summary>
    public bool IsFree((int, int) cell) {
        bool inside = cell.Item1 >= 0 && cell.Item1 < Length && cell.Item2 >= 0 && cell.Item2 < Width;
        return inside && !Taken.Contains(cell);
    }
}

static class LeitaiSnakego {
    /// <summary>"1" +x, "2" +y, "3" -x, "4" -y; "5", a ray, and "6", a split, are no steps.</summary>
    public static readonly string[] Moves = { "1", "2", "3", "4" };

    /// <summary>The neighbour of a cell.</summary>
    public static (int, int) Step((int, int) cell, string action) {
        int move = Array.IndexOf(Moves, action);
        return (cell.Item1 + (move == 0 ? 1 : move == 2 ? -1 : 0), cell.Item2 + (move == 1 ? 1 : move == 3 ? -1 : 0));
    }

    /// <summary>The steps between two cells on an empty board.</summary>
    public static int Distance((int, int) one, (int, int) other) {
        return Math.Abs(one.Item1 - other.Item1) + Math.Abs(one.Item2 - other.Item2);
    }

    /// <summary>Plays a leg: choose gives an action.</summary>
    public static void Play(Func<State, string> choose) {
        Json.AnswerAll((view, legal, setup) => choose(new State(view, legal, setup)));
    }
}
