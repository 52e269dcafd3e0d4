// Its own names are names of the library, too. Where it does not ask for the library, it may.
#include "Tank.h"
#include <vector>
using namespace std;

int count, index, y1, find, left, right;
const double pow = 2.0;

extern "C" InitiateInfo chooseType() {
	InitiateInfo info;
	count = index = y1 = find = left = right = 0;
	for (int i = 0; i < 5; i++) info.tank[i] = Sniper;
	strcpy(info.aiName, "names");
	return info;
}

extern "C" Order makeOrder(DataForAI data) {
	Order order = {STOP, 0, 0};
	vector<int> kept;
	count++;
	index = count;
	y1 = find = index;
	kept.push_back(int(y1 * pow));
	return order;
}
