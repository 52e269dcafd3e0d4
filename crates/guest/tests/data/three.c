// Three in a row, as a module that needs no header and no library:
//   clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry -Wl,-zstack-size=65536 -o rules.wasm three.c
// Its views declare a board, pieces, cells of actions and facts (docs/game-files.md). An action is a cell, a1 to c3.
#define EXPORT(name) __attribute__((export_name("leitai_game_1_" name)))
typedef unsigned char byte;
typedef unsigned int number;

// A request has at most two replies of 64 KiB.
static byte in[1 << 18], out[8192];
static number at, written;

// The position: 0 an empty cell, 1 the first seat's, 2 the second's.
static byte cells[9], seat, over, winner, fault, last = 255;
static number steps;

static void put(byte value) { out[written++] = value; }
static void put_number(number value) { for (int i = 0; i < 4; i++) put(value >> (8 * i)); }
static void raw(const char *text) { while (*text) put(*text++); }
static number length(const char *text) { number n = 0; while (text[n]) n++; return n; }
static void put_text(const char *text) { put_number(length(text)); raw(text); }
static number begin_text(void) { put_number(0); return written; }
static void end_text(number from) {
    number end = written;
    written = from - 4;
    put_number(end - from);
    written = end;
}
static void begin(void) { at = written = 0; put(0); }
static unsigned long long answer(void) { return (unsigned long long)(number)(unsigned long)out << 32 | written; }
static number read_number(void) { number value = 0; for (int i = 0; i < 4; i++) value |= (number)in[at++] << (8 * i); return value; }

static const char *NAMES[9] = {"a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"};
static const byte LINES[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};

// The cell of the text that stands next in the request; -1 if it is none.
static int read_cell(void) {
    number size = read_number(), from = at;
    at += size;
    for (int cell = 0; cell < 9; cell++)
        if (size == 2 && in[from] == NAMES[cell][0] && in[from + 1] == NAMES[cell][1]) return cell;
    return -1;
}

static void put_outcome(void) {
    put(winner);
    put_number(winner == 1);
    put_number(winner == 2);
    put(fault && winner == 2 ? fault : 0);
    put(fault && winner == 1 ? fault : 0);
    put(0);
    put_text(fault ? "fault" : winner ? "row" : "full");
    put_text(fault ? "as the other broke a rule" : winner ? "with three in a row" : "with a full board");
    put_text(fault ? "对方犯规" : winner ? "三子连线" : "棋盘已满");
}

static void put_status(void) {
    put(over ? 0 : 1 + seat);
    put_number(steps);
    put_number(1 + steps / 2);
    for (int i = 0; i < 8; i++) put(0);
    put_number(winner == 1);
    put_number(winner == 2);
    put(over);
    if (over) put_outcome();
}

static void put_state(void) {
    number from = begin_text();
    for (int cell = 0; cell < 9; cell++) put(".XO"[cells[cell]]);
    put(' ');
    put('0' + seat);
    put('0' + steps);
    put('a' + fault);
    put('\n');
    end_text(from);
}

EXPORT("input") byte *input(number size) { (void)size; return in; }

EXPORT("deal") unsigned long long deal(void) { begin(); put_text("{}"); return answer(); }

EXPORT("start") unsigned long long start(void) {
    begin();
    if (read_number() != 2 || in[4] != '{') {
        written = 0;
        put(1);
        put_text("a setup is {}");
        return answer();
    }
    put_text("{}");
    put_number(5);
    put_status();
    return answer();
}

static void play(int cell) {
    cells[cell] = 1 + seat;
    last = cell;
    for (int i = 0; i < 8; i++)
        if (cells[LINES[i][0]] == 1 + seat && cells[LINES[i][1]] == 1 + seat && cells[LINES[i][2]] == 1 + seat) {
            over = 1;
            winner = 1 + seat;
        }
    if (steps + 1 == 9) over = 1;
}

EXPORT("step") unsigned long long step(void) {
    begin();
    at = 1;
    if (over) { put_status(); put_number(0); return answer(); }
    for (int of = 0; of < 2; of++) {
        byte kind = in[at++];
        int cell = kind == 1 ? read_cell() : -1;
        if (of != seat) continue;
        if (kind == 1 && cell >= 0 && !cells[cell]) { play(cell); continue; }
        // No answer is a late one (19), a text that is no cell a malformed one (17), a taken cell illegal (16).
        fault = kind >= 16 ? kind : kind == 0 ? 19 : cell < 0 ? 17 : 16;
        over = 1;
        winner = 2 - seat;
    }
    steps++;
    seat = 1 - seat;
    put_status();
    put_number(1);
    put(1);
    put_state();
    return answer();
}

EXPORT("legal") unsigned long long legal(void) {
    begin();
    number count = 0;
    put_number(0);
    for (int cell = 0; cell < 9; cell++)
        if (!over && in[0] == seat && !cells[cell]) { put_text(NAMES[cell]); count++; }
    number end = written;
    written = 1;
    put_number(count);
    written = end;
    return answer();
}

EXPORT("check") unsigned long long check(void) {
    begin();
    byte who = in[0];
    at = 1;
    int cell = read_cell();
    if (cell < 0) { put(2); return answer(); }
    const char *why = over ? "the leg is over" : who != seat ? "it is the other's turn" : cells[cell] ? "the cell is taken" : 0;
    put(why ? 1 : 0);
    if (why) put_text(why);
    return answer();
}

EXPORT("view") unsigned long long view(void) {
    begin();
    number from = begin_text();
    raw("{\"board\":[");
    for (int row = 0; row < 3; row++) {
        raw(row ? ",\"" : "\"");
        for (int col = 0; col < 3; col++) put(".XO"[cells[3 * row + col]]);
        put('"');
    }
    raw("],\"columns\":[\"a\",\"b\",\"c\"],\"rows\":[3,2,1],\"pieces\":{"
        "\"X\":{\"seat\":\"first\",\"sign\":\"✕\",\"name\":{\"en\":\"cross\",\"zh\":\"叉\"}},"
        "\"O\":{\"seat\":\"second\",\"sign\":\"◯\",\"name\":{\"en\":\"ring\",\"zh\":\"圈\"}}},\"targets\":{");
    for (int cell = 0, comma = 0; cell < 9; cell++) {
        if (cells[cell] || over) continue;
        raw(comma++ ? ",\"" : "\"");
        raw(NAMES[cell]);
        raw("\":[");
        put('0' + cell % 3);
        put(',');
        put('0' + cell / 3);
        put(']');
    }
    raw("},\"marks\":[");
    if (last < 9) { put('['); put('0' + last % 3); put(','); put('0' + last / 3); put(']'); }
    raw("],\"facts\":[");
    for (int of = 0; of < 2; of++) {
        int count = 0;
        for (int cell = 0; cell < 9; cell++) count += cells[cell] == 1 + of;
        raw(of ? ",{\"seat\":\"second\"" : "{\"seat\":\"first\"");
        raw(",\"name\":{\"en\":\"pieces\",\"zh\":\"棋子\"},\"value\":");
        put('0' + count);
        put('}');
    }
    raw("],\"question\":{\"en\":\"Put a piece on an empty cell\",\"zh\":\"请在空格上落子\"}}");
    end_text(from);
    return answer();
}

EXPORT("text") unsigned long long text(void) { begin(); put_state(); return answer(); }
