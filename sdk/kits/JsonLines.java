
/** The loop, and just enough JSON for the messages of the judge: maps, lists, strings, doubles, booleans and nulls. */
final class JsonLines {
    interface Decide {
        String decide(java.util.Map<String, Object> view, java.util.List<String> legal, java.util.Map<String, Object> setup);
    }

    private final String text;
    private int at;

    private JsonLines(String text) {
        this.text = text;
    }

    /** Answers every question of the judge. */
    static void answerAll(Decide bot) {
        java.util.Scanner input = new java.util.Scanner(System.in);
        java.util.Map<String, Object> setup = java.util.Map.of();
        while (input.hasNextLine()) {
            java.util.Map<String, Object> message = map(new JsonLines(input.nextLine()).value());
            if (message.get("type").equals("start")) setup = map(message.get("setup"));
            if (!message.get("type").equals("turn")) continue;
            String action = bot.decide(map(message.get("view")), list(message.get("legal")), setup);
            System.out.println("{\"action\":\"" + action + "\"}");
        }
    }

    @SuppressWarnings("unchecked")
    static java.util.Map<String, Object> map(Object json) {
        return (java.util.Map<String, Object>) json;
    }

    @SuppressWarnings("unchecked")
    static <T> java.util.List<T> list(Object json) {
        return (java.util.List<T>) json;
    }

    /** 0 where there is no number. */
    static int number(Object json) {
        return json instanceof Double ? ((Double) json).intValue() : 0;
    }

    static java.util.List<int[]> cells(Object json) {
        java.util.List<int[]> all = new java.util.ArrayList<>();
        for (Object pair : list(json)) all.add(cell(pair));
        return all;
    }

    /** {-1, -1} where there is none. */
    static int[] cell(Object json) {
        if (json == null) return new int[] {-1, -1};
        return new int[] {number(list(json).get(0)), number(list(json).get(1))};
    }

    private char peek() {
        while (at < text.length() && (Character.isWhitespace(text.charAt(at)) || ",:".indexOf(text.charAt(at)) >= 0)) at++;
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private Object value() {
        switch (peek()) {
            case '{':
                java.util.Map<String, Object> members = new java.util.HashMap<>();
                for (at++; peek() != '}' && peek() != '\0'; ) {
                    String key = string();
                    members.put(key, value());
                }
                at++;
                return members;
            case '[':
                java.util.List<Object> items = new java.util.ArrayList<>();
                for (at++; peek() != ']' && peek() != '\0'; ) items.add(value());
                at++;
                return items;
            case '"':
                return string();
            default:
                int start = at;
                while (at < text.length() && ",:]} ".indexOf(text.charAt(at)) < 0) at++;
                String word = text.substring(start, at);
                if (word.equals("null")) return null;
                return word.equals("true") || word.equals("false") ? (Object) word.equals("true") : Double.valueOf(word);
        }
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        for (at++; at < text.length() && text.charAt(at) != '"'; at++) {
            if (text.charAt(at) == '\\') at++;
            out.append(text.charAt(at));
        }
        at++;
        return out.toString();
    }
}
