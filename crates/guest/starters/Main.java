// leitai: protocol=json-lines
// A bot to begin with: it plays the first legal action. guide.md says what the view of your game means.
public class Main {
    public static void main(String[] args) {
        // `view` is what you see, `setup` what was known before the game, if you may know it.
        JsonLines.answerAll((view, legal, setup) -> legal.get(0));
    }
}
