// A small program with the two functions of 2010. Every tank shoots at the weakest enemy in range,
// or else moves to the nearest mine that its side does not own and no friend moves to.

#include "Tank.h"

#include <queue>
#include <vector>

using namespace std;

const int ROWS = MAP_HEIGHT + 2, COLS = MAP_WIDTH + 2;
const OrderType WAYS[4] = {GOUP, GODOWN, GOLEFT, GORIGHT};
const int DOWN[4] = {-1, 1, 0, 0};
const int RIGHT[4] = {0, 0, -1, 1};

// The target mine of each tank by number; -1 for none.
int goals[MAX_TANK_NUM];

Order stop() {
    Order order = {STOP, 0, 0};
    return order;
}

int distance(const TankData &a, const TankData &b) {
    return abs(a.row - b.row) + abs(a.col - b.col);
}

// Rounds from a mine to every cell: a brick costs the rounds needed to shoot it away.
void measure(const DataForAI &data, Point from, int away[ROWS][COLS]) {
    typedef pair<int, pair<int, int> > Step;
    priority_queue<Step, vector<Step>, greater<Step> > open;
    for (int row = 0; row < ROWS; row++)
        for (int col = 0; col < COLS; col++) away[row][col] = 9999;
    open.push(Step(0, make_pair(int(from.row), int(from.col))));
    while (!open.empty()) {
        int far = open.top().first, row = open.top().second.first, col = open.top().second.second;
        open.pop();
        if (far >= away[row][col]) continue;
        away[row][col] = far;
        for (int way = 0; way < 4; way++) {
            int r = row + DOWN[way], c = col + RIGHT[way];
            if (data.map[r][c].type == STONE) continue;
            open.push(Step(far + (data.map[row][col].type == PERVIOUS ? 1 : 3), make_pair(r, c)));
        }
    }
}

// The number of the weakest enemy in range, or -1.
int target(const DataForAI &data, const TankData &me) {
    int best = -1;
    for (int n = 0; n < MAX_TANK_NUM; n++) {
        const TankData &enemy = data.tank[n];
        if (enemy.flag == me.flag || enemy.row < 1 || enemy.noharm > 0 || distance(me, enemy) > me.range) continue;
        if (best < 0 || enemy.life < data.tank[best].life) best = n;
    }
    return best;
}

bool taken(int mine, int me) {
    for (int n = me / 5 * 5; n < me; n++)
        if (goals[n] == mine) return true;
    return false;
}

// A step towards the mine, or a shot at the brick in the way.
Order approach(const DataForAI &data, const TankData &me, int away[ROWS][COLS]) {
    Order order = stop();
    int best = away[me.row][me.col];
    for (int n = 0; n < 4; n++) {
        // Each side checks directions in its own order, so that neither has an advantage.
        int way = me.flag == RED ? n : 3 - n;
        int row = me.row + DOWN[way], col = me.col + RIGHT[way];
        if (data.map[row][col].type == STONE || away[row][col] >= best) continue;
        best = away[row][col];
        order.type = data.map[row][col].type == PERVIOUS ? WAYS[way] : FIRE;
        order.row = row;
        order.col = col;
    }
    return order;
}

Order go_mining(const DataForAI &data, const TankData &me) {
    static int away[ROWS][COLS], nearest[ROWS][COLS];
    int own = me.flag == RED ? RedSource : BlueSource, best = 9999;
    for (int n = 0; n < data.totalSource; n++) {
        Point mine = data.source[n];
        if (data.map[mine.row][mine.col].isHereSource == own || taken(n, me.ID)) continue;
        measure(data, mine, away);
        if (away[me.row][me.col] >= best) continue;
        best = away[me.row][me.col];
        goals[me.ID] = n;
        memcpy(nearest, away, sizeof nearest);
    }
    return best < 9999 ? approach(data, me, nearest) : stop();
}

extern "C" InitiateInfo chooseType() {
    InitiateInfo info;
    info.tank[0] = info.tank[1] = info.tank[2] = Striker;
    info.tank[3] = info.tank[4] = Sniper;
    strcpy(info.aiName, "example of 2010");
    return info;
}

extern "C" Order makeOrder(DataForAI data) {
    const TankData &me = data.tank[data.myID];
    goals[me.ID] = -1;
    if (me.row < 1) return stop();
    int enemy = target(data, me);
    if (enemy < 0) return go_mining(data, me);
    Order order = {FIRE, data.tank[enemy].row, data.tank[enemy].col};
    return order;
}
