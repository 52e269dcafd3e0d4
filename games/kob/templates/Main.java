// leitai: protocol=json-lines
// A King of Bots bot to begin with: it goes where the most free cells can be reached.
public class Main {
    static String choose(LeitaiKob.State state) {
        String best = null;
        int most = -1;
        for (String direction : state.legal) {
            int room = state.reach(state.after(direction));
            if (room <= most) continue;
            most = room;
            best = direction;
        }
        LeitaiViewer.value("room", most); // plotted on the viewer of your matches
        return best;
    }

    public static void main(String[] args) {
        LeitaiKob.play(Main::choose);
    }
}
