// The rules of a game for Leitai in C++20, as one header without dependencies, not even the standard library.
// `leitai game build FOLDER` compiles FOLDER/rules.cpp with it; `leitai game new NAME cpp` writes a first game.
// docs/game-files.md describes the interface, `leitai-game/1`, of which this is one side.
//
// A game is a struct of plain data, the position, with the members below; LEITAI_GAME(Name) exports it.
//
//   static constexpr int ACTIONS;                          an action is a number from 0 to ACTIONS - 1
//   static void write_action(int action, Out &out);        its notation: ASCII without spaces, / and !
//   static int read_action(Str text);                      (optional) the action of a notation, or -1; else all are tried
//   static void deal(Json config, Rng &chance, Out &setup);   writes a setup as JSON: all chance of the game
//   const char *start(Json setup);                         reads a setup; nullptr, or why it is refused
//   void write_setup(Out &out) const;                      the same setup again
//   int max_rounds() const;                                the most rounds of a leg
//   Turn to_move() const;                                  NOBODY once the leg is over, FIRST, SECOND or BOTH
//   int round() const;                                     from 1, never falling
//   int score(int seat) const;                             0 is the first seat, 1 the second
//   bool is_legal(int seat, int action) const;             asked only for a seat that is to move
//   void step(int first, int second);                      legal actions; -1 for a seat that was not asked
//   Result result() const;                                 asked when nobody is to move
//   void view(int seat, Out &out) const;                   a JSON object: what a seat may know; 2 is everything
//   void text(Out &out) const;                             ASCII lines that tell every two positions apart
//
// A game may have bots, which LEITAI_BOTS(Name) after LEITAI_GAME(Name) exports; game.toml names them:
//
//   int bot(Str name, int seat, Json view, const int *legal, int count, Rng &chance) const;   one of the `count` legal actions
//
// It is called for a position if the game is open; with secrets it is called for Game{}, and knows its arguments alone.
//
// Who breaks a rule, is late or crashes loses the leg; the header sees to that, and `step` sees legal actions only.
#pragma once
#include <stddef.h>
#include <stdint.h>

// The bytes for answers (a view, a list of legal actions). Memory is copied at each step, so keep it small.
#ifndef LEITAI_ANSWER_BYTES
#define LEITAI_ANSWER_BYTES 16384
#endif

__attribute__((import_module("leitai"), import_name("log"))) extern "C" void leitai_log(const char *, uint32_t);
extern "C" void __wasm_call_ctors();

#ifndef __wasm_bulk_memory__
#error "compile with -mbulk-memory, as leitai game build does"
#endif

// What a compiler may call although nobody wrote it. The builtins are single instructions of WebAssembly.
extern "C" {
__attribute__((weak, used)) void *memset(void *to, int value, size_t size) { return __builtin_memset(to, value, size); }
__attribute__((weak, used)) void *memcpy(void *to, const void *from, size_t size) { return __builtin_memcpy(to, from, size); }
__attribute__((weak, used)) void *memmove(void *to, const void *from, size_t size) { return __builtin_memmove(to, from, size); }
__attribute__((weak, used)) int memcmp(const void *one, const void *other, size_t size) {
    auto a = static_cast<const unsigned char *>(one), b = static_cast<const unsigned char *>(other);
    for (size_t i = 0; i < size; i++)
        if (a[i] != b[i]) return a[i] - b[i];
    return 0;
}
}

namespace leitai {

// A piece of text that belongs to somebody else.
struct Str {
    const char *data = nullptr;
    uint32_t size = 0;
    Str() = default;
    Str(const char *text) : data(text) {
        while (text[size]) size++;
    }
    Str(const char *from, uint32_t length) : data(from), size(length) {}
    bool operator==(Str other) const { return size == other.size && memcmp(data, other.data, size) == 0; }
};

// Stops the call: Leitai reports the sentence as a fault of the game.
[[noreturn]] inline void fail(Str why) {
    leitai_log(why.data, why.size);
    __builtin_trap();
}

// Writes into the answer.
class Out {
  public:
    Out &operator<<(Str text) {
        if (text.size > LEITAI_ANSWER_BYTES - size) fail("the answer is too long; define LEITAI_ANSWER_BYTES");
        __builtin_memcpy(bytes + size, text.data, text.size);
        size += text.size;
        return *this;
    }
    Out &operator<<(const char *text) { return *this << Str(text); }
    Out &operator<<(char letter) {
        if (size == LEITAI_ANSWER_BYTES) fail("the answer is too long; define LEITAI_ANSWER_BYTES");
        bytes[size++] = letter;
        return *this;
    }
    Out &operator<<(int number) {
        if (0 <= number && number < 10) return *this << static_cast<char>('0' + number);
        char digits[12];
        int at = 12;
        unsigned rest = number < 0 ? 0u - static_cast<unsigned>(number) : static_cast<unsigned>(number);
        do digits[--at] = static_cast<char>('0' + rest % 10);
        while (rest /= 10);
        if (number < 0) digits[--at] = '-';
        return *this << Str(digits + at, static_cast<uint32_t>(12 - at));
    }
    // A JSON list: `out.list(n, [&](int i) { out << cards[i]; });`
    template <class Item> Out &list(int count, Item item) {
        *this << '[';
        for (int i = 0; i < count; i++) {
            if (i) *this << ',';
            item(i);
        }
        return *this << ']';
    }

    // The words of the interface.
    void byte(int value) { *this << static_cast<char>(value); }
    void number(uint32_t value) {
        for (int i = 0; i < 4; i++) byte(static_cast<int>(value >> (8 * i) & 255));
    }
    void set_number(uint32_t at, uint32_t value) {
        for (int i = 0; i < 4; i++) bytes[at + static_cast<uint32_t>(i)] = static_cast<char>(value >> (8 * i));
    }
    // A text whose length is known when it is written.
    template <class Write> void text(Write write) {
        uint32_t at = size;
        number(0);
        write();
        set_number(at, size - at - 4);
    }

    char bytes[LEITAI_ANSWER_BYTES] = {};
    uint32_t size = 0;
};

// A JSON text; what is not there is a Json of nothing. Leitai hands in well-formed JSON only.
struct Json {
    const char *at = nullptr, *end = nullptr;
    Json() = default;
    Json(Str text) : at(text.data), end(text.data + text.size) { skip_space(); }

    bool exists() const { return at < end; }
    bool is_list() const { return exists() && *at == '['; }
    bool is_object() const { return exists() && *at == '{'; }
    bool is_true() const { return Str(at, length()) == Str("true"); }
    // Reads a whole number from least to most; false if it is none.
    bool read(int &number, int least, int most) const {
        uint32_t size = length();
        bool minus = size > 0 && *at == '-';
        if (size < 1u + minus || size > 10u + minus) return false;
        long long value = 0;
        for (uint32_t i = minus; i < size; i++) {
            if (at[i] < '0' || at[i] > '9') return false;
            value = value * 10 + (at[i] - '0');
        }
        if (minus) value = -value;
        if (value < least || value > most) return false;
        number = static_cast<int>(value);
        return true;
    }
    int number(int otherwise) const {
        int value = otherwise;
        return read(value, -2147483647, 2147483647) ? value : otherwise;
    }
    // A text without its quotes, as it stands in the JSON.
    Str text() const {
        uint32_t size = length();
        return size >= 2 && *at == '"' ? Str(at + 1, size - 2) : Str();
    }
    // The number of items of a list or an object.
    int count() const {
        int found = 0;
        each([&](Str, Json) { return found++, true; });
        return found;
    }
    Json operator[](int index) const {
        Json found;
        each([&](Str, Json item) { return index-- > 0 || (found = item, false); });
        return found;
    }
    Json operator[](const char *key) const {
        Json found;
        if (is_object()) each([&](Str name, Json item) { return !(name == Str(key)) || (found = item, false); });
        return found;
    }

  private:
    void skip_space() {
        while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) at++;
    }
    // The bytes of the value that begins here.
    uint32_t length() const {
        int depth = 0;
        bool quoted = false;
        const char *here = at;
        for (; here < end; here++) {
            char c = *here;
            if (quoted) {
                if (c == '\\') here++;
                else if (c == '"' && (quoted = false, depth == 0)) return static_cast<uint32_t>(here + 1 - at);
            } else if (c == '"') quoted = true;
            else if (c == '[' || c == '{') depth++;
            else if (c == ']' || c == '}') {
                if (depth == 0) break;
                if (--depth == 0) return static_cast<uint32_t>(here + 1 - at);
            } else if (depth == 0 && (c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ':')) break;
        }
        return static_cast<uint32_t>((here < end ? here : end) - at);
    }
    // Shows every item, with its key in an object, until `visit` says false.
    template <class Visit> void each(Visit visit) const {
        if (!is_list() && !is_object()) return;
        bool named = is_object();
        Json rest = *this;
        rest.at++;
        for (;;) {
            rest.skip_space();
            if (rest.at >= end || *rest.at == ']' || *rest.at == '}') return;
            Str key;
            if (named) {
                key = rest.text();
                rest.at += rest.length();
                while (rest.at < end && *rest.at != ':') rest.at++;
                rest.at++;
                rest.skip_space();
            }
            Json item(Str(rest.at, rest.length()));
            if (rest.at >= end || !visit(key, item)) return;
            rest.at += rest.length();
            rest.skip_space();
            if (rest.at < end && *rest.at == ',') rest.at++;
        }
    }
};

// Chance (splitmix64): the same seed always gives the same numbers.
class Rng {
  public:
    explicit Rng(uint64_t seed) : state(seed) {}
    uint64_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    // A number from 0 to count - 1, each as likely as the other.
    int below(int count) {
        uint64_t many = static_cast<uint64_t>(count), spare = (0 - many) % many, drawn;
        do drawn = next();
        while (drawn < spare);
        return static_cast<int>(drawn % many);
    }
    template <class Item> void shuffle(Item *items, int count) {
        for (int i = count - 1; i > 0; i--) {
            int j = below(i + 1);
            Item kept = items[i];
            items[i] = items[j];
            items[j] = kept;
        }
    }

  private:
    uint64_t state;
};

enum Turn : uint8_t { NOBODY = 0, FIRST = 1, SECOND = 2, BOTH = 3 };

// The end of a leg: the winning seat (-1 for nobody) and the rule that decided, with an id that stays.
struct Result {
    int winner;
    const char *id, *english, *chinese;
};

// The functions of the interface for a game.
template <class Game> class Module {
  public:
    char *take_input(uint32_t length) {
        request = Str(small, length);
        if (length > sizeof small) {
            size_t page = __builtin_wasm_memory_grow(0, (length >> 16) + 1);
            if (page == SIZE_MAX) fail("there is no memory for the request");
            request.data = reinterpret_cast<char *>(page << 16);
        }
        return const_cast<char *>(request.data);
    }

    uint64_t deal() {
        uint64_t seed = take_number();
        seed |= static_cast<uint64_t>(take_number()) << 32;
        Rng chance(seed);
        begin();
        out.text([&] { Game::deal(Json(take_text()), chance, out); });
        return answer();
    }
    uint64_t start() {
        Json setup(take_text());
        game = Game();
        faults[0] = faults[1] = 0;
        steps = 0;
        begin();
        if (const char *why = setup.is_object() ? game.start(setup) : "a setup is an object") {
            out.size = 0;
            out.byte(1);
            out.text([&] { out << why; });
            return answer();
        }
        out.text([&] { game.write_setup(out); });
        out.number(static_cast<uint32_t>(game.max_rounds()));
        status();
        return answer();
    }
    uint64_t step() {
        bool is_kept = !(take_byte() & 2); // 1: events are wanted, but there are none; 2: checkpoints are not
        int actions[2] = {-1, -1};
        for (int seat = 0; seat < 2; seat++) {
            int kind = take_byte();
            Str said = kind == 1 ? take_text() : Str();
            if (!is_asked(seat)) continue;
            actions[seat] = kind == 1 ? find_action(said) : -1;
            if (kind >= 16) pending[seat] = kind;
            else if (kind == 0) pending[seat] = LATE;
            else if (actions[seat] < 0) pending[seat] = MALFORMED;
            else pending[seat] = game.is_legal(seat, actions[seat]) ? 0 : ILLEGAL;
        }
        if (turn() != NOBODY) {
            for (int seat = 0; seat < 2; seat++) {
                faults[seat] = pending[seat];
                pending[seat] = 0;
            }
            if (!faults[0] && !faults[1]) {
                game.step(actions[0], actions[1]);
                steps++;
            }
        }
        begin();
        status();
        out.number(is_kept);
        if (is_kept) {
            out.byte(1); // a checkpoint
            write_text();
        }
        return answer();
    }
    uint64_t legal() {
        int seat = take_byte();
        begin();
        uint32_t at = out.size, count = 0;
        out.number(0);
        if (is_asked(seat))
            for (int action = 0; action < Game::ACTIONS; action++)
                if (game.is_legal(seat, action)) {
                    out.text([&] { Game::write_action(action, out); });
                    count++;
                }
        out.set_number(at, count);
        return answer();
    }
    uint64_t check() {
        int seat = take_byte(), action = find_action(take_text());
        begin();
        const char *why = nullptr;
        if (!is_asked(seat)) why = "acted although it is not asked";
        else if (action >= 0 && !game.is_legal(seat, action)) why = "is not legal now";
        out.byte(action < 0 ? 2 : why ? 1 : 0);
        if (action >= 0 && why) out.text([&] { out << why; });
        return answer();
    }
    uint64_t view() {
        int seat = take_byte();
        begin();
        out.text([&] { game.view(seat, out); });
        return answer();
    }
    uint64_t bot() {
        Str name = take_text();
        int seat = take_byte(), count = 0;
        uint64_t seed = take_number();
        seed |= static_cast<uint64_t>(take_number()) << 32;
        Rng chance(seed);
        Json view(take_text());
        static int legal[Game::ACTIONS];
        for (uint32_t rest = take_number(); rest; rest--) legal[count++] = find_action(take_text());
        int action = game.bot(name, seat, view, legal, count, chance);
        begin();
        out.text([&] { Game::write_action(action, out); });
        return answer();
    }
    uint64_t text() {
        begin();
        write_text();
        return answer();
    }
    // Random legs from here on, for the levels and the analysis of Leitai: how often first and second won, how often
    // neither; the steps of all legs.
    uint64_t playout() {
        uint64_t seed = take_number();
        seed |= static_cast<uint64_t>(take_number()) << 32;
        Rng chance(seed);
        uint32_t legs = take_number(), most_steps = take_number(), ended[3] = {};
        uint64_t played = 0;
        const Game from = game;
        for (uint32_t leg = 0; leg < legs; leg++) {
            game = from;
            for (uint32_t step = 0; step < most_steps && turn() != NOBODY; step++, played++) {
                int actions[2];
                for (int seat = 0; seat < 2; seat++) actions[seat] = is_asked(seat) ? draw_action(seat, chance) : -1;
                game.step(actions[0], actions[1]);
            }
            int winner = turn() == NOBODY ? end_of_leg().winner : -1;
            ended[winner < 0 ? 2 : winner]++;
        }
        begin();
        for (uint32_t count : ended) out.number(count);
        out.number(static_cast<uint32_t>(played));
        out.number(static_cast<uint32_t>(played >> 32));
        return answer();
    }

  private:
    enum { ILLEGAL = 16, MALFORMED = 17, LATE = 19 };

    int take_byte() {
        if (request.size < 1) fail("a request is shorter than documented");
        request.size--;
        return static_cast<unsigned char>(*request.data++);
    }
    uint32_t take_number() {
        uint32_t value = 0;
        for (int i = 0; i < 4; i++) value |= static_cast<uint32_t>(take_byte()) << (8 * i);
        return value;
    }
    Str take_text() {
        uint32_t size = take_number();
        if (size > request.size) fail("a request is shorter than documented");
        Str taken(request.data, size);
        request = Str(request.data + size, request.size - size);
        return taken;
    }
    void begin() {
        out.size = 0;
        out.byte(0);
    }
    uint64_t answer() { return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(out.bytes)) << 32 | out.size; }

    Turn turn() const { return faults[0] || faults[1] ? NOBODY : game.to_move(); }
    bool is_asked(int seat) const { return turn() >> seat & 1; }

    // The action of a notation, or -1.
    int find_action(Str notation) {
        if constexpr (requires { Game::read_action(notation); }) {
            return Game::read_action(notation);
        } else {
            int found = -1;
            uint32_t before = out.size = 0;
            for (int action = 0; action < Game::ACTIONS && found < 0; action++) {
                Game::write_action(action, out);
                if (notation == Str(out.bytes, out.size)) found = action;
                out.size = before;
            }
            return found;
        }
    }

    void status() {
        out.byte(turn());
        out.number(steps + 1); // a clock runs anew in each step
        out.number(static_cast<uint32_t>(game.round()));
        out.number(0);
        out.number(0); // the time of game.toml
        scores();
        if (turn() != NOBODY) return out.byte(0);
        Result end = end_of_leg();
        out.byte(1);
        out.byte(end.winner + 1);
        scores();
        out.byte(faults[0]);
        out.byte(faults[1]);
        out.byte(0); // it ends the leg
        const char *parts[] = {end.id, end.english, end.chinese};
        for (const char *part : parts) out.text([&] { out << part; });
    }
    void scores() {
        for (int seat = 0; seat < 2; seat++) out.number(static_cast<uint32_t>(game.score(seat)));
    }
    Result end_of_leg() const { return faults[0] || faults[1] ? result_of_faults() : game.result(); }
    // Any legal action; a seat that is to move has one.
    int draw_action(int seat, Rng &chance) const {
        int drawn = -1, seen = 0;
        for (int action = 0; action < Game::ACTIONS; action++)
            if (game.is_legal(seat, action) && chance.below(++seen) == 0) drawn = action;
        if (drawn < 0) fail("a seat that is to move has no legal action");
        return drawn;
    }
    Result result_of_faults() const {
        if (faults[0] && faults[1]) return {-1, "faults", "with faults on both sides", "双方违规"};
        return {faults[0] ? 1 : 0, "fault", "by a fault of the other side", "对方违规"};
    }
    void write_text() {
        const char *codes[] = {"IA", "PE", "RE", "TLE", "MLE", "OLE", "EXIT", "CE"};
        out.text([&] {
            game.text(out);
            if (faults[0] || faults[1]) {
                out << "fault";
                for (int fault : faults) out << ' ' << (fault ? codes[fault - 16] : "-");
                out << '\n';
            }
        });
    }

    Game game{};
    int faults[2] = {0, 0}, pending[2] = {0, 0};
    uint32_t steps = 0;
    Str request;
    inline static char small[1024] = {};
    inline static Out out = {};
};

} // namespace leitai

#define LEITAI_EXPORT(function, call)                                                                                  \
    extern "C" __attribute__((export_name("leitai_game_1_" #function))) uint64_t leitai_game_1_##function() {          \
        return leitai_module.call();                                                                                   \
    }

#define LEITAI_BOTS(Game) LEITAI_EXPORT(bot, bot)

#define LEITAI_GAME(Game)                                                                                              \
    static leitai::Module<Game> leitai_module;                                                                         \
    extern "C" __attribute__((export_name("_initialize"))) void leitai_initialize() { __wasm_call_ctors(); }           \
    extern "C" __attribute__((export_name("leitai_game_1_input"))) char *leitai_game_1_input(uint32_t length) {        \
        return leitai_module.take_input(length);                                                                       \
    }                                                                                                                  \
    LEITAI_EXPORT(deal, deal)                                                                                          \
    LEITAI_EXPORT(start, start)                                                                                        \
    LEITAI_EXPORT(step, step)                                                                                          \
    LEITAI_EXPORT(legal, legal)                                                                                        \
    LEITAI_EXPORT(check, check)                                                                                        \
    LEITAI_EXPORT(view, view)                                                                                          \
    LEITAI_EXPORT(text, text)                                                                                          \
    LEITAI_EXPORT(playout, playout)
