// A bot for Botzone's JSON, started anew every turn: leitai match kob botzone:docs/examples/botzone.cpp space
// It needs no JSON library: the last "legal" of the line is that of the newest request.
#include <iostream>
#include <string>

int main() {
    std::string line;
    std::getline(std::cin, line);
    std::size_t legal = line.rfind("\"legal\":[\"") + 10;
    std::cout << "{\"response\":\"" << line.substr(legal, line.find('"', legal) - legal) << "\"}" << std::endl;
}
