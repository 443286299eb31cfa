// A bot: one JSON message a line comes in on stdin, one goes out on stdout. `choose` is yours to change.
// What a view holds, and what actions mean, is on the page of the game: type `arena rules GAME`.
#include <exception>
#include <iostream>
#include <string>

#include "json.hpp"

// Answers a question with one of the legal actions; this bot takes the first.
//   question["view"]    all that your seat may know, such as question["view"]["hand"]
//   question["events"]  what the others did since you were last asked
//   question["legal"]   a list of strings, never empty
static std::string choose(const Json& question) {
    return question["legal"][std::size_t{0}].text;
}

// std::endl flushes: else the line waits in a buffer, and the clock runs out. Actions are ASCII without
// quotes and backslashes, so that they need no escapes.
static void answer(const Json& question) {
    std::cout << R"({"type":"action","match":)" << question["match"].text << R"(,"turn":)"
              << question["turn"].text << R"(,"action":")" << choose(question) << R"("})" << std::endl;
}

int main() try {
    std::string line;
    std::size_t side = 0;

    // Load what you need before this line: hello says "I am ready".
    std::cout << R"({"type":"hello","protocol":1,"name":"cpp"})" << std::endl;
    while (std::getline(std::cin, line)) {  // ends when the arena is gone
        const Json message = Json::read(line);
        const std::string& type = message["type"].text;
        if (type == "start")  // has a "seed" for your own randomness, too
            side = static_cast<std::size_t>(message["side"].whole());
        else if (type == "decide")
            answer(message);
        else if (type == "end")  // what is printed to stderr is kept for your eyes
            std::cerr << "place " << message["places"][side].text << "\n";
        else if (type == "fault")
            std::cerr << "fault " << message["kind"].text << ": " << message["detail"].text << "\n";
        else if (type == "bye")
            break;  // a type it does not know is a later arena's: to be ignored
    }
    return 0;
} catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
}
