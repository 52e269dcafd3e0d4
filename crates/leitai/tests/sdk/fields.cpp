// Plays against itself on the map "crossroads" with fog=sdk and compares every field of round 1 with what it must be.
// Says so on stderr; ends with exit code 1 on the first difference.

#include "Tank.h"

#include <stdio.h>

const char *const MAP[MAP_HEIGHT] = {
    "..A...B...C...D...E..", ".....................", ".2.2.2.........2.2.2.", "....r...22222...r....",
    ".2.2.2...2r2...2.2.2.", "........22222........", ".##...............##.", "....2..n..#..n..2....",
    "....2.....#.....2....", ".##.2...2...2...2.##.", "...n....2.n.2....n...", ".##.2...2...2...2.##.",
    "....2.....#.....2....", "....2..n..#..n..2....", ".##...............##.", "........22222........",
    ".2.2.2...2b2...2.2.2.", "....b...22222...b....", ".2.2.2.........2.2.2.", ".....................",
    "..J...I...H...G...F..",
};
const short SOURCES[MAX_SOURCE_NUM][2] = {{4, 5},   {4, 17},  {5, 11}, {8, 8},   {8, 14},  {11, 4}, {11, 11},
                                          {11, 18}, {14, 8}, {14, 14}, {17, 11}, {18, 5}, {18, 17}};
const short SPAWNS[MAX_TANK_NUM][2] = {{1, 3},   {1, 7},   {1, 11},  {1, 15}, {1, 19},
                                       {21, 19}, {21, 15}, {21, 11}, {21, 7}, {21, 3}};
const TankType TEAM[5] = {Striker, Pioneer, Sniper, Pioneer, Striker};
const short ATTACK[3] = {2, 1, 1}, LIFE[3] = {3, 9, 2}, RANGE[3] = {3, 1, 5};

void expect(const char *what, int n, long found, long expected) {
    if (found != expected) {
        fprintf(stderr, "fields: %s of %d is %ld, not %ld\n", what, n, found, expected);
        exit(1);
    }
}

char glyph(int row, int col) {
    bool inside = row >= 1 && row <= MAP_HEIGHT && col >= 1 && col <= MAP_WIDTH;
    return inside ? MAP[row - 1][col - 1] : '#';
}

void check_cell(const DataForAI &data, int row, int col) {
    const MapCell &cell = data.map[row][col];
    char c = glyph(row, col);
    int at = row * 100 + col;
    expect("type", at, cell.type, c == '#' ? STONE : c == '2' ? BRICK : PERVIOUS);
    SourceType source = c == 'r' ? RedSource : c == 'b' ? BlueSource : c == 'n' ? NeutralSource : NotSource;
    expect("isHereSource", at, cell.isHereSource, source);
    bool mine = c >= 'A' && c <= 'J' && (c - 'A') / 5 == data.myFlag;
    expect("whoIsHere", at, cell.whoIsHere, mine ? c - 'A' : -1);
}

void check_tank(const DataForAI &data, int n) {
    const TankData &tank = data.tank[n];
    TankType type = TEAM[n % 5];
    bool own = n / 5 == data.myFlag;
    expect("ID", n, tank.ID, n);
    expect("flag", n, tank.flag, n / 5);
    expect("row", n, tank.row, own ? SPAWNS[n][0] : -2);
    expect("col", n, tank.col, own ? SPAWNS[n][1] : -2);
    expect("type", n, tank.type, type);
    expect("StartRow", n, tank.StartRow, SPAWNS[n][0]);
    expect("StartCol", n, tank.StartCol, SPAWNS[n][1]);
    expect("attack", n, tank.attack, ATTACK[type]);
    expect("life", n, tank.life, LIFE[type]);
    expect("range", n, tank.range, RANGE[type]);
    expect("revive", n, tank.revive, -1);
    expect("noharm", n, tank.noharm, 0);
}

void check(const DataForAI &data) {
    for (int row = 0; row < MAP_HEIGHT + 2; row++)
        for (int col = 0; col < MAP_WIDTH + 2; col++) check_cell(data, row, col);
    for (int n = 0; n < MAX_TANK_NUM; n++) check_tank(data, n);
    for (int n = 0; n < MAX_SOURCE_NUM; n++) {
        expect("source row", n, data.source[n].row, SOURCES[n][0]);
        expect("source col", n, data.source[n].col, SOURCES[n][1]);
    }
    expect("redGoldNum", 0, data.redGoldNum, 0);
    expect("blueGoldNum", 0, data.blueGoldNum, 0);
    expect("redScore", 0, data.redScore, 0);
    expect("blueScore", 0, data.blueScore, 0);
    expect("redSource", 0, data.redSource, 3);
    expect("blueSource", 0, data.blueSource, 3);
    expect("totalSource", 0, data.totalSource, 13);
    expect("redTime", 0, data.redTime, 0);
    expect("blueTime", 0, data.blueTime, 0);
}

// The tanks are asked in order, each once a round.
int calls = 0;

extern "C" InitiateInfo chooseType() {
    InitiateInfo info;
    for (int n = 0; n < 5; n++) info.tank[n] = TEAM[n];
    strcpy(info.aiName, "fields");
    return info;
}

extern "C" Order makeOrder(DataForAI data) {
    expect("myID", calls, data.myID, data.myFlag * 5 + calls % 5);
    expect("round", calls, data.round, 1 + calls / 5);
    calls++;
    if (data.round == 1) check(data);
    if (data.round == 2) {
        expect("redGoldNum", 2, data.redGoldNum, 3);
        expect("blueGoldNum", 2, data.blueGoldNum, 3);
    }
    if (calls == 5) fprintf(stderr, "fields: %s sees what it must\n", data.myFlag == RED ? "RED" : "BLUE");
    Order order = {STOP, 0, 0};
    return order;
}
