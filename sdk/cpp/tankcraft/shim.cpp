// Plays TankCraft on Leitai with a program of 2010: speaks the text protocol on stdin and stdout, calls chooseType()
// once and makeOrder() for every own tank and round. Compiled together with the program by build.sh.
//
// Output of the program goes to stderr, so that it cannot disturb the protocol; its stdin is empty.
// Needs POSIX. Uses C++98 only, the language of the programs.

#include <Tank.h>

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

namespace {

const int TEAM = MAX_TANK_NUM / 2;

// The connection to the judge.
FILE *from_judge;
FILE *to_judge;

// The known state, except myID.
DataForAI known;

struct Type {
    const char *name;
    short attack, range;
};

// Indexed by TankType.
const Type TYPES[3] = {{"Striker", STRIKER_ATTACK, STRIKER_RANGE},
                       {"Pioneer", PIONEER_ATTACK, PIONEER_RANGE},
                       {"Sniper", SNIPER_ATTACK, SNIPER_RANGE}};

typedef char Line[256];

void give_up(const char *what, const char *line) {
    fprintf(stderr, "shim: %s: %s\n", what, line);
    exit(2);
}

// The next line without its end; false if there is none.
bool read_line(Line line) {
    if (!fgets(line, sizeof(Line), from_judge)) {
        return false;
    }
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

bool begins(const char *line, const char *word) {
    return strncmp(line, word, strlen(word)) == 0;
}

// ---- the map

CellType terrain(char glyph) {
    return glyph == '#' ? STONE : glyph == '2' ? BRICK : glyph == '1' ? BREAKBRICK : PERVIOUS;
}

// Lower-case letters only: on the map a B is the spawn of a tank.
SourceType mine(char glyph) {
    switch (glyph) {
        case 'r': return RedSource;
        case 'b': return BlueSource;
        case 'n': return NeutralSource;
        default: return NotSource;
    }
}

void add_mine(short row, short col, SourceType owner) {
    if (known.totalSource == MAX_SOURCE_NUM) {
        give_up("too many mines on the map", "");
    }
    known.map[row][col].isHereSource = owner;
    Point &place = known.source[known.totalSource++];
    place.row = row;
    place.col = col;
}

void read_map_glyph(short row, short col, char glyph) {
    known.map[row][col].type = terrain(glyph);
    if (mine(glyph) != NotSource) {
        add_mine(row, col, mine(glyph));
    }
    if (glyph >= 'A' && glyph < 'A' + MAX_TANK_NUM) {
        known.tank[glyph - 'A'].StartRow = row;
        known.tank[glyph - 'A'].StartCol = col;
    }
}

void read_terrain_glyph(short row, short col, char glyph) {
    known.map[row][col].type = terrain(glyph);
}

void read_rows(void (*read_glyph)(short, short, char)) {
    Line line = "";
    for (short row = 1; row <= MAP_HEIGHT; row++) {
        if (!read_line(line) || strlen(line) != MAP_WIDTH) {
            give_up("a row of the map has not 21 glyphs", line);
        }
        for (short col = 1; col <= MAP_WIDTH; col++) {
            read_glyph(row, col, line[col - 1]);
        }
    }
}

// Everything outside the map is stone without tanks.
void clear() {
    for (int row = 0; row < MAP_HEIGHT + 2; row++) {
        for (int col = 0; col < MAP_WIDTH + 2; col++) {
            known.map[row][col].type = STONE;
            known.map[row][col].isHereSource = NotSource;
            known.map[row][col].whoIsHere = -1;
        }
    }
}

// ---- the message of a round

void read_pair(const char *line, short &red, short &blue) {
    if (sscanf(line, "%*s %hd %hd", &red, &blue) != 2) {
        give_up("expected two numbers", line);
    }
}

void read_owners(const char *line) {
    Line letters;
    if (sscanf(line, "OWNERS %255s", letters) != 1 || strlen(letters) != size_t(known.totalSource)) {
        give_up("expected an owner for each mine", line);
    }
    known.redSource = known.blueSource = 0;
    for (int n = 0; n < known.totalSource; n++) {
        SourceType owner = mine(char(tolower(letters[n])));
        known.map[known.source[n].row][known.source[n].col].isHereSource = owner;
        known.redSource += owner == RedSource;
        known.blueSource += owner == BlueSource;
    }
}

void set_type(TankData &tank, const char *name, const char *line) {
    int type = 0;
    while (type < 3 && strcmp(TYPES[type].name, name) != 0) {
        type++;
    }
    if (type == 3) {
        give_up("unknown type of tank", line);
    }
    tank.type = TankType(type);
    tank.attack = TYPES[type].attack;
    tank.range = TYPES[type].range;
}

void read_tank(const char *line) {
    int id = -1;
    Line name;
    short row, col, life, noharm;
    long revive;
    int found = sscanf(line, "TANK %d %255s %hd %hd %hd %hd %ld", &id, name, &row, &col, &life, &noharm, &revive);
    if (found != 7 || id < 0 || id >= MAX_TANK_NUM || row > MAP_HEIGHT || col > MAP_WIDTH) {
        give_up("expected a tank", line);
    }
    TankData &tank = known.tank[id];
    tank.ID = short(id);
    tank.flag = id < TEAM ? RED : BLUE;
    set_type(tank, name, line);
    tank.row = row;
    tank.col = col;
    tank.life = life;
    tank.noharm = noharm;
    tank.revive = revive;
}

void place_tanks() {
    for (int row = 1; row <= MAP_HEIGHT; row++) {
        for (int col = 1; col <= MAP_WIDTH; col++) {
            known.map[row][col].whoIsHere = -1;
        }
    }
    for (int id = 0; id < MAX_TANK_NUM; id++) {
        const TankData &tank = known.tank[id];
        if (tank.row > 0 && tank.col > 0) {
            known.map[tank.row][tank.col].whoIsHere = tank.ID;
        }
    }
}

// ---- the program's answers

// Names are shown to people and end with the line. The judge refuses an unknown type.
void answer_team() {
    InitiateInfo team = chooseType();
    fputs("TEAM", to_judge);
    for (int n = 0; n < TEAM; n++) {
        int type = int(team.tank[n]);
        if (type >= 0 && type < 3) {
            fprintf(to_judge, " %s", TYPES[type].name);
        } else {
            fprintf(to_judge, " %d", type);
        }
    }
    fputc(' ', to_judge);
    for (size_t n = 0; n < sizeof team.aiName && team.aiName[n]; n++) {
        bool printable = team.aiName[n] >= ' ' && team.aiName[n] <= '~';
        fputc(printable ? team.aiName[n] : '?', to_judge);
    }
    fputc('\n', to_judge);
}

void answer(const Order &order) {
    switch (int(order.type)) {
        case GOUP: fputs("GOUP\n", to_judge); break;
        case GODOWN: fputs("GODOWN\n", to_judge); break;
        case GOLEFT: fputs("GOLEFT\n", to_judge); break;
        case GORIGHT: fputs("GORIGHT\n", to_judge); break;
        case FIRE: fprintf(to_judge, "FIRE %d %d\n", order.row, order.col); break;
        default: fputs("STOP\n", to_judge); break;
    }
}

void answer_orders() {
    place_tanks();
    for (int n = 0; n < TEAM; n++) {
        known.myID = short(known.myFlag * TEAM + n);
        answer(makeOrder(known));
    }
}

// The program's own output comes first, so that the log is in order.
void send() {
    fflush(stdout);
    fflush(to_judge);
}

// False if the game is over. Lines that a program of 2010 cannot use are skipped.
bool hear(const char *line) {
    if (begins(line, "SIDE ")) {
        known.myFlag = strcmp(line, "SIDE RED") == 0 ? RED : BLUE;
    } else if (strcmp(line, "MAP") == 0) {
        read_rows(read_map_glyph);
    } else if (strcmp(line, "CHOOSE") == 0) {
        answer_team();
        send();
    } else if (begins(line, "ROUND ")) {
        known.round = short(atoi(line + strlen("ROUND ")));
    } else if (begins(line, "GOLD ")) {
        read_pair(line, known.redGoldNum, known.blueGoldNum);
    } else if (begins(line, "KILLS ")) {
        read_pair(line, known.redScore, known.blueScore);
    } else if (strcmp(line, "TERRAIN") == 0) {
        read_rows(read_terrain_glyph);
    } else if (begins(line, "OWNERS ")) {
        read_owners(line);
    } else if (begins(line, "TANK ")) {
        read_tank(line);
    } else if (strcmp(line, "GO") == 0) {
        answer_orders();
        send();
    }
    return !begins(line, "END");
}

// Keeps the judge's stdin and stdout for the shim alone.
bool part_from_program() {
    from_judge = fdopen(dup(STDIN_FILENO), "r");
    to_judge = fdopen(dup(STDOUT_FILENO), "w");
    int nothing = open("/dev/null", O_RDONLY);
    bool parted = from_judge && to_judge && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
                  dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    if (nothing >= 0) {
        close(nothing);
    }
    return parted;
}

}  // namespace

int main() {
    if (!part_from_program()) {
        give_up("cannot redirect stdin and stdout", "");
    }
    clear();
    Line line;
    while (read_line(line) && hear(line)) {
    }
    return 0;
}
