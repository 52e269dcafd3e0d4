// leitai: protocol=json-lines
// A King of Bots bot to begin with: it goes where the most free cells can be reached.
// Its SDK, by name: leitai_kob.cs
static class Program {
    static string Choose(State state) {
        string best = null;
        int most = -1;
        foreach (string direction in state.Legal) {
            int room = state.Reach(state.After(direction));
            if (room <= most) continue;
            most = room;
            best = direction;
        }
        LeitaiViewer.Value("room", most); // plotted on the viewer of your matches
        return best;
    }

    static void Main() {
        LeitaiKob.Play(Choose);
    }
}
