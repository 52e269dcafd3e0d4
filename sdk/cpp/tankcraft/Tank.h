// Tank.h for TankCraft on Leitai: the interface of the tank contest of 2010 (Astar2010), so that its programs compile.
//
// Written anew; names, values and the order of fields are those of the organisers' header, because programs and
// memory layout depend on them. A program defines the two functions at the end of this file and no main().

#ifndef LEITAI_TANKCRAFT_TANK_H
#define LEITAI_TANKCRAFT_TANK_H

// POSIX functions that Windows did not have: there, index and y1 were free names.
#if !defined(_WIN32)
#define index leitai_index
#define rindex leitai_rindex
#define j0 leitai_j0
#define j1 leitai_j1
#define jn leitai_jn
#define y0 leitai_y0
#define y1 leitai_y1
#define yn leitai_yn
#define gamma leitai_gamma
#endif
#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max

// Programs of 2010 call memset, sqrt, sort and printf without including their headers, because the
// headers of their compiler included one another. A program whose own names collide with them is
// compiled with -DTANK_H_PLAIN.
#include <stdlib.h>
#include <string.h>
#if !defined(TANK_H_PLAIN)
#include <assert.h>
#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <algorithm>
#endif

#pragma pop_macro("min")
#pragma pop_macro("max")
#if !defined(_WIN32)
#undef index
#undef rindex
#undef j0
#undef j1
#undef jn
#undef y0
#undef y1
#undef yn
#undef gamma
#endif

// Words of Windows that have no meaning elsewhere, or another name.
#if !defined(_WIN32)
#ifndef __int64
#define __int64 long long
#endif
#if !defined(TANK_H_PLAIN)
inline int strcpy_s(char *to, size_t size, const char *from) {
    to[0] = '\0';
    strncat(to, from, size - 1);
    return 0;
}
template <size_t SIZE>
int strcpy_s(char (&to)[SIZE], const char *from) {
    return strcpy_s(to, SIZE, from);
}
#endif
#ifndef __declspec
#define __declspec(what)
#endif
#ifndef WINAPI
#define WINAPI
#endif
#ifndef APIENTRY
#define APIENTRY
#endif
#ifndef CALLBACK
#define CALLBACK
#endif
#ifndef __stdcall
#define __stdcall
#endif
#ifndef __cdecl
#define __cdecl
#endif
#endif

#define MAP_WIDTH 21
#define MAP_HEIGHT 21
#define MAX_TANK_NUM 10     // both sides together: red 0 to 4, blue 5 to 9
#define MAX_SOURCE_NUM 13   // mines
#define GOLD_ONE_ROUND 1    // the resources of a mine in a round
#define MAX_GOLD_NUM 1000   // the resources that win
#define REVIVE_ROUND 2      // rounds from a death to the revival
#define MAX_NOHARM_ROUND 2  // rounds of invincibility
#define MAX_ROUND 400

#define STRIKER_ATTACK 2
#define PIONEER_ATTACK 1
#define SNIPER_ATTACK 1
#define STRIKER_LIFE 3
#define PIONEER_LIFE 9
#define SNIPER_LIFE 2
#define STRIKER_RANGE 3
#define PIONEER_RANGE 1
#define SNIPER_RANGE 5

#define SIGHT 4         // the distance at which a tank sees; distance is |rows| + |columns|
#define SOURCE_SIGHT 2  // the distance at which both sides see from every mine

typedef enum { RED, BLUE } FlagType;

// BRICK has 2 HP, BREAKBRICK has 1 left, STONE is indestructible.
typedef enum { PERVIOUS, BRICK, BREAKBRICK, STONE } CellType;

typedef enum { STOP, GOUP, GODOWN, GOLEFT, GORIGHT, FIRE } OrderType;

typedef enum { NotSource, RedSource, BlueSource, NeutralSource } SourceType;

typedef enum { Striker, Pioneer, Sniper } TankType;

struct Order {
    OrderType type;
    short row, col;  // the target of FIRE; ignored for other orders
};

struct InitiateInfo {
    TankType tank[MAX_TANK_NUM / 2];  // the types of the own tanks in ascending number
    char aiName[21];                  // up to 20 printable ASCII characters
};

struct Point {
    short row, col;
};

struct MapCell {
    CellType type;
    SourceType isHereSource;
    short whoIsHere;  // the number of the visible tank on this cell, or -1
};

struct TankData {
    short ID;
    FlagType flag;
    short row, col;  // row from the top, col from the left, both from 1; -2, -2 when dead or not seen
    TankType type;
    short StartRow, StartCol;  // where it starts and revives
    short attack;
    short life;  // 0 when dead
    short range;
    long revive;   // the round of its revival when dead, otherwise -1
    short noharm;  // rounds of invincibility left
};

struct DataForAI {
    struct MapCell map[MAP_HEIGHT + 2][MAP_WIDTH + 2];  // map[row][col], with a border of STONE
    struct TankData tank[MAX_TANK_NUM];
    struct Point source[MAX_SOURCE_NUM];  // from left to right, top to bottom
    FlagType myFlag;
    short myID;   // the tank that the call is for
    short round;  // from 1
    short redGoldNum, blueGoldNum;
    short redScore, blueScore;  // kills; we assume that the score of 2010 meant kills
    short redSource, blueSource, totalSource;
    int redTime, blueTime;  // time used in 2010; always 0 here
};

// Called once, before round 1.
extern "C" InitiateInfo chooseType();

// Called once a round for each of the five own tanks in ascending number, the dead ones included.
extern "C" Order makeOrder(DataForAI data);

#endif
