// Goofspiel: each player holds the cards 1 to N and bids one of them, unseen, for the prize card that lies open.
// The higher bid wins the prize; equal bids lose it. The order of the prizes is drawn before the leg and hidden.
#include "leitai_game.hpp"

using namespace leitai;

struct Goofspiel {
    static constexpr int ACTIONS = 13; // the card is the action + 1

    int cards = 0;                       // of each player
    int8_t prizes[13] = {};              // all of them, in their order
    int8_t bids[2][13] = {};             // those that were made
    int turn = 0;                        // bids so far
    int points[2] = {0, 0};

    static void write_action(int action, Out &out) { out << action + 1; }

    static void deal(Json config, Rng &chance, Out &setup) {
        int cards = config["cards"].number(13), prizes[13];
        for (int i = 0; i < cards; i++) prizes[i] = i + 1;
        chance.shuffle(prizes, cards);
        setup << "{\"prizes\":";
        setup.list(cards, [&](int i) { setup << prizes[i]; }) << '}';
    }

    const char *start(Json setup) {
        Json list = setup["prizes"];
        cards = list.count();
        if (!list.is_list() || setup.count() != 1 || cards < 3 || cards > 13)
            return "a setup is {\"prizes\": […]} with 3 to 13 cards";
        unsigned seen = 0;
        for (int i = 0; i < cards; i++) {
            int prize;
            if (!list[i].read(prize, 1, cards) || seen >> prize & 1) return "prizes are each of 1 to their number, once";
            seen |= 1u << prize;
            prizes[i] = static_cast<int8_t>(prize);
        }
        return nullptr;
    }

    void write_setup(Out &out) const {
        out << "{\"prizes\":";
        out.list(cards, [&](int i) { out << prizes[i]; }) << '}';
    }

    int max_rounds() const { return cards; }
    int round() const { return turn < cards ? turn + 1 : cards; }
    int score(int seat) const { return points[seat]; }
    Turn to_move() const { return turn < cards ? BOTH : NOBODY; }

    bool is_legal(int seat, int action) const {
        for (int i = 0; i < turn; i++)
            if (bids[seat][i] == action + 1) return false;
        return action < cards;
    }

    void step(int first, int second) {
        bids[0][turn] = static_cast<int8_t>(first + 1);
        bids[1][turn] = static_cast<int8_t>(second + 1);
        if (first != second) points[first > second ? 0 : 1] += prizes[turn];
        turn++;
    }

    Result result() const {
        if (points[0] == points[1]) return {-1, "equal-points", "with equal points", "得分相同"};
        return {points[0] > points[1] ? 0 : 1, "points", "by points", "得分更高"};
    }

    // The prizes that were turned over; the deck is for the one who sees everything: [secret] in game.toml.
    void view(int seat, Out &out) const {
        int shown = turn < cards ? turn + 1 : cards;
        out << "{\"cards\":" << cards << ",\"prizes\":";
        out.list(shown, [&](int i) { out << prizes[i]; });
        if (seat == 2) {
            out << ",\"deck\":";
            out.list(cards - shown, [&](int i) { out << prizes[shown + i]; });
        }
        for (int s = 0; s < 2; s++) {
            out << (s ? ",\"second\":" : ",\"first\":") << "{\"points\":" << points[s] << ",\"bids\":";
            out.list(turn, [&](int i) { out << bids[s][i]; }) << '}';
        }
        out << '}';
    }

    void text(Out &out) const {
        out << "GOOFSPIEL turn " << turn << " points " << points[0] << ' ' << points[1] << '\n';
        for (int i = 0; i < cards; i++) {
            out << prizes[i];
            if (i < turn) out << ' ' << bids[0][i] << ' ' << bids[1][i];
            out << '\n';
        }
    }
};

LEITAI_GAME(Goofspiel)
