
/// <summary>
/// The loop, and just enough JSON for the messages of the judge: a word (a string or a number), a list or an object.
/// </summary>
sealed class Json {
    private static readonly Json Nothing = new Json();
    public string Word = "";
    public readonly System.Collections.Generic.List<Json> Items = new System.Collections.Generic.List<Json>();
    private readonly System.Collections.Generic.Dictionary<string, Json> members =
        new System.Collections.Generic.Dictionary<string, Json>();

    public Json this[string key] { get { return members.TryGetValue(key, out Json found) ? found : Nothing; } }

    public bool IsTrue { get { return Word == "true"; } }

    public int Number(int otherwise = 0) {
        return int.TryParse(Word, out int number) ? number : otherwise;
    }

    /// <summary>(-1, -1) where there is none.</summary>
    public (int, int) Cell { get { return Items.Count < 2 ? (-1, -1) : (Items[0].Number(), Items[1].Number()); } }

    public System.Collections.Generic.List<(int, int)> Cells { get { return Items.ConvertAll(item => item.Cell); } }

    public System.Collections.Generic.List<string> Words { get { return Items.ConvertAll(item => item.Word); } }

    /// <summary>Answers every question of the judge with what decide(view, legal, setup) gives.</summary>
    public static void AnswerAll(System.Func<Json, Json, Json, string> decide) {
        Json setup = Nothing;
        for (string line; (line = System.Console.In.ReadLine()) != null;) {
            int at = 0;
            Json message = Read(line, ref at);
            if (message["type"].Word == "start") setup = message["setup"];
            if (message["type"].Word != "turn") continue;
            System.Console.Out.WriteLine("{\"action\":\"" + decide(message["view"], message["legal"], setup) + "\"}");
            System.Console.Out.Flush();
        }
    }

    private static char Peek(string text, ref int at) {
        while (at < text.Length && (char.IsWhiteSpace(text[at]) || text[at] == ',' || text[at] == ':')) at++;
        return at < text.Length ? text[at] : '\0';
    }

    private static Json Read(string text, ref int at) {
        var json = new Json();
        char first = Peek(text, ref at);
        if (first != '{' && first != '[') {
            json.Word = ReadWord(text, ref at);
            return json;
        }
        for (at++; Peek(text, ref at) != '\0' && text[at] != '}' && text[at] != ']';) {
            if (first == '[') {
                json.Items.Add(Read(text, ref at));
                continue;
            }
            string key = ReadWord(text, ref at);
            json.members[key] = Read(text, ref at);
        }
        at++;
        return json;
    }

    private static string ReadWord(string text, ref int at) {
        var word = new System.Text.StringBuilder();
        if (Peek(text, ref at) != '"') {
            while (at < text.Length && ",:]} ".IndexOf(text[at]) < 0) word.Append(text[at++]);
            return word.ToString();
        }
        for (at++; at < text.Length && text[at] != '"'; at++) {
            if (text[at] == '\\' && at + 1 < text.Length) at++;
            word.Append(text[at]);
        }
        at++;
        return word.ToString();
    }
}

// Below: drawings and values for the viewer. The file sdk/viewer/leitai_viewer.cs of Leitai is the same by itself.
