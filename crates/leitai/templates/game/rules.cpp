// A heap of coins: take 1 to 3 in turns; who takes the last one wins. leitai_game.hpp says what each function is for.
#include "leitai_game.hpp"

using namespace leitai;

struct MyGame {
    static constexpr int ACTIONS = 3; // action 0 takes one coin

    int dealt = 0; // the setup
    int heap = 0, seat = 0, turn = 1;

    static void write_action(int action, Out &out) { out << action + 1; }

    static void deal(Json config, Rng &chance, Out &setup) {
        int most = config["most"].number(30);
        setup << "{\"heap\":" << 10 + chance.below(most - 9) << '}';
    }

    const char *start(Json setup) {
        if (setup.count() != 1 || !setup["heap"].read(dealt, 1, 60)) return "a setup is {\"heap\": 1 to 60}";
        heap = dealt;
        return nullptr;
    }

    void write_setup(Out &out) const { out << "{\"heap\":" << dealt << '}'; }

    int max_rounds() const { return dealt; }
    int round() const { return turn; }
    Turn to_move() const { return heap == 0 ? NOBODY : seat == 0 ? FIRST : SECOND; }
    bool is_legal(int, int action) const { return action < heap; }

    void step(int first, int second) {
        heap -= (seat == 0 ? first : second) + 1;
        seat = 1 - seat;
        if (heap > 0) turn++;
    }

    // The one who would move next has lost.
    int score(int who) const { return heap == 0 && who != seat; }
    Result result() const { return {1 - seat, "last-coin", "by taking the last coin", "取到最后一枚"}; }

    void view(int, Out &out) const {
        out << "{\"heap\":" << heap << ",\"seat\":\"" << (seat == 0 ? "first" : "second") << "\"}";
    }

    void text(Out &out) const {
        out << "turn " << turn << " seat " << (seat == 0 ? "first" : "second") << " heap " << heap << '\n';
    }
};

LEITAI_GAME(MyGame)
