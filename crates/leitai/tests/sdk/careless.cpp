// Written as people wrote for Visual C++: it asks for almost nothing that it uses.
#include "Tank.h"
#include <vector>
using namespace std;

extern "C" __declspec(dllexport) InitiateInfo chooseType() {
	InitiateInfo info;
	for (int i = 0; i < 5; i++) info.tank[i] = i % 2 ? Striker : Pioneer;
	char number[8];
	sprintf(number, "%d", INT_MAX % 7);
	strcpy_s(info.aiName, "careless ");
	strcat(info.aiName, number);
	return info;
}

static bool nearer(int a, int b) { return a < b; }

extern "C" __declspec(dllexport) Order makeOrder(DataForAI data) {
	Order order = {STOP, 0, 0};
	const TankData &me = data.tank[data.myID];
	vector<int> far;
	__int64 best = 1;
	best <<= 40;
	for (int i = 0; i < data.totalSource; i++) {
		double down = data.source[i].row - me.row, right = data.source[i].col - me.col;
		far.push_back((int)sqrt(down * down + right * right));
	}
	sort(far.begin(), far.end(), nearer);
	if (!far.empty()) best = min((int)(best >> 20), far[0]);
	srand((unsigned)time(NULL));
	printf("nearest %d\n", (int)best);
	if (me.life > 0 && isdigit('0' + data.round % 10)) order.type = (OrderType)(GOUP + rand() % 4);
	return order;
}
