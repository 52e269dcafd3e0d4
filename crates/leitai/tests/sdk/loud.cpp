// Prints to stdout, reads stdin, spells the header its own way, uses words of Windows, says every kind of order, and
// tells what it was shown.

#include "tank.h"

#include <cstdio>
#include <iostream>

extern "C" __declspec(dllexport) InitiateInfo WINAPI chooseType() {
    std::cout << "choosing, stdin has " << getchar() << std::endl;
    InitiateInfo info;
    memset(&info, 'x', sizeof info);
    for (int n = 0; n < 5; n++) info.tank[n] = TankType(n % 3);
    info.aiName[1] = '\n';
    return info;
}

void tell(const DataForAI &data) {
    printf("round %d flag %d gold %d %d score %d %d\n", data.round, data.myFlag, data.redGoldNum, data.blueGoldNum,
           data.redScore, data.blueScore);
    printf("sources %d %d %d\n", data.redSource, data.blueSource, data.totalSource);
    for (int n = 0; n < MAX_TANK_NUM; n++) {
        const TankData &t = data.tank[n];
        printf("tank %d %d %d %d %d %d %d %d %d %d %ld %d\n", t.ID, t.flag, t.row, t.col, t.type, t.StartRow,
               t.StartCol, t.attack, t.life, t.range, t.revive, t.noharm);
    }
    for (int row = 0; row < MAP_HEIGHT + 2; row++)
        for (int col = 0; col < MAP_WIDTH + 2; col++) {
            const MapCell &cell = data.map[row][col];
            if (cell.isHereSource || cell.whoIsHere >= 0 || cell.type == BRICK || cell.type == BREAKBRICK)
                printf("cell %d %d %d %d %d\n", row, col, cell.type, cell.isHereSource, cell.whoIsHere);
        }
}

extern "C" __declspec(dllexport) Order makeOrder(DataForAI data) {
    if (data.myID == 5) tell(data);
    Order order;
    order.row = short(-data.myID);
    order.col = data.round;
    order.type = data.round == 1 ? OrderType(data.myID - 4) : OrderType(data.myID == 5 ? STOP : 7);
    printf("asked %d", data.myID);
    return order;
}
