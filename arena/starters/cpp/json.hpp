// Reads JSON as the arena sends it: one value, nested at most Json::depth deep, into a tree.
//
//     Json message = Json::read(line);
//     if (message["type"].text == "decide")
//         for (const Json& card : message["view"]["hand"].items) ...
//
// What is not there reads as null, whose text and items are empty. A line that is no JSON throws.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

struct Json {
    enum class Kind { null, boolean, number, string, list, object };
    static constexpr int depth = 64;

    Kind kind = Kind::null;
    std::string text;               // of a string: UTF-8; of a number, true and false: as it was written
    std::vector<Json> items;        // of a list or an object
    std::vector<std::string> keys;  // of an object: the names of its items

    // A field of an object.
    const Json& operator[](std::string_view key) const {
        for (std::size_t number = keys.size(); number-- > 0;)
            if (keys[number] == key) return items[number];
        return nothing();
    }

    // An item of a list or an object.
    const Json& operator[](std::size_t number) const {
        return number < items.size() ? items[number] : nothing();
    }

    long long whole() const { return kind == Kind::number ? std::stoll(text) : 0; }

    static Json read(std::string_view line);

private:
    static const Json& nothing() {
        static const Json null;
        return null;
    }
};

class JsonReader {
public:
    explicit JsonReader(std::string_view text) : text_(text) {}

    Json whole() {
        Json value = read(0);
        if (blank() != '\0') wrong();
        return value;
    }

private:
    std::string_view text_;
    std::size_t at_ = 0;

    [[noreturn]] void wrong() const {
        throw std::runtime_error("this is no JSON, from here on: " + std::string(text_.substr(at_, 40)));
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    char blank() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n') at_++;
        return peek();
    }

    void expect(char character) {
        if (blank() != character) wrong();
        at_++;
    }

    Json read(int depth) {
        if (depth == Json::depth) wrong();
        Json value;
        switch (blank()) {
        case '{': inside(value, Json::Kind::object, '}', depth + 1); break;
        case '[': inside(value, Json::Kind::list, ']', depth + 1); break;
        case '"':
            value.kind = Json::Kind::string;
            value.text = string();
            break;
        default: word(value);
        }
        return value;
    }

    void inside(Json& value, Json::Kind kind, char close, int depth) {
        value.kind = kind;
        at_++;
        if (blank() == close) {
            at_++;
            return;
        }
        do {
            if (kind == Json::Kind::object) {
                blank();
                value.keys.push_back(string());
                expect(':');
            }
            value.items.push_back(read(depth));
            blank();
        } while (peek() == ',' && ++at_);
        expect(close);
    }

    void word(Json& value) {
        const std::size_t end = text_.find_first_not_of("+-.0123456789abcdefghijklmnopqrstuvwxyzE", at_);
        value.text = text_.substr(at_, end == std::string_view::npos ? end : end - at_);
        if (value.text == "true" || value.text == "false")
            value.kind = Json::Kind::boolean;
        else if (!value.text.empty() && std::string_view("-0123456789").find(value.text[0]) != std::string_view::npos)
            value.kind = Json::Kind::number;
        else if (value.text == "null")
            value.text.clear();
        else
            wrong();
        at_ = end == std::string_view::npos ? text_.size() : end;
    }

    std::string string() {
        if (peek() != '"') wrong();
        at_++;
        std::string found;
        while (peek() != '"') {
            if (at_ >= text_.size()) wrong();
            if (peek() == '\\')
                escape(found);
            else
                found += text_[at_++];
        }
        at_++;
        return found;
    }

    void escape(std::string& found) {
        at_++;
        const std::size_t name = std::string_view("\"\\/bfnrt").find(peek());
        if (name != std::string_view::npos && peek() != '\0') {
            found += "\"\\/\b\f\n\r\t"[name];
            at_++;
            return;
        }
        if (peek() != 'u') wrong();
        unsigned code = hex();
        if (code >> 10 == 0xD800 >> 10 && text_.substr(at_, 2) == "\\u") {  // the first half of a pair
            at_++;
            code = 0x10000 + ((code & 0x3FF) << 10) + (hex() & 0x3FF);
        }
        utf8(found, code);
    }

    unsigned hex() {
        const std::string digits(text_.substr(at_ + 1, 4));
        if (digits.size() != 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) wrong();
        at_ += 5;
        return static_cast<unsigned>(std::stoul(digits, nullptr, 16));
    }

    static void utf8(std::string& found, unsigned code) {
        const auto add = [&found](unsigned byte) { found += static_cast<char>(byte); };
        if (code < 0x80) {
            add(code);
            return;
        }
        if (code < 0x800) {
            add(0xC0 | code >> 6);
        } else {
            if (code < 0x10000) {
                add(0xE0 | code >> 12);
            } else {
                add(0xF0 | code >> 18);
                add(0x80 | (code >> 12 & 0x3F));
            }
            add(0x80 | (code >> 6 & 0x3F));
        }
        add(0x80 | (code & 0x3F));
    }
};

inline Json Json::read(std::string_view line) { return JsonReader(line).whole(); }
