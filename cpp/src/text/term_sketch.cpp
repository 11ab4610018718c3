#include "termsift/text_rules.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "text/chunks.hpp"
#include "text/cutter.hpp"
#include "text/thread_counter.hpp"

namespace termsift {
namespace {

// Counts the terms of one thread's documents in the counters of a sketch, which all threads share.
class Sketcher {
 public:
  Sketcher(const TextRules& rules, TermSketch* sketch)
      : sketch_(*sketch),
        min_n_(static_cast<std::size_t>(fewest_words(rules))),
        cutter_(Cutter::of(rules)),
        ngrams_(static_cast<std::size_t>(most_words(rules))) {
    add_stop_words(rules, stop_words_);
  }

  void add(Texts texts, std::int64_t begin, std::int64_t end, Worker& worker) {
    std::int64_t document = begin;
    cutter_->start(texts, begin, end, &worker);
    while (cutter_->next(tokens_)) {
      worker.check();
      std::int64_t i = 0;
      for (const Tokens::Part& part : tokens_.parts) {
        if (part.document != document) end_document();
        document = part.document;
        for (; i < part.end; ++i) add_token(tokens_.spans()[i]);
      }
    }
    end_document();
  }

 private:
  void add_token(std::string_view token) {
    if (is_stop_word(stop_words_, token)) return;
    const std::uint64_t word = word_hash(token);
    n_words_ = std::min(n_words_ + 1, ngrams_.size());
    for (std::size_t n = n_words_; n > 1; --n) ngrams_[n - 1] = ngram_hash(ngrams_[n - 2], word);
    ngrams_[0] = word;
    for (std::size_t n = min_n_; n <= n_words_; ++n) places_.push_back(sketch_.place(ngrams_[n - 1]));
    if (places_.size() >= limit_) {
      keep_once();
      limit_ = std::max(limit_, 2 * places_.size());
    }
  }
  void keep_once() {
    std::sort(places_.begin(), places_.end());
    places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
  }
  void end_document() {
    keep_once();
    std::uint8_t* const counters = sketch_.counters().data();
    for (const std::uint64_t place : places_) prefetch_for_write(counters + place);
    for (const std::uint64_t place : places_) count_up_to_255(counters[place]);
    places_.clear();
    n_words_ = 0;
  }

  TermSketch& sketch_;
  const std::size_t min_n_;
  std::unique_ptr<Cutter> cutter_;
  Tokens tokens_;
  WordTable stop_words_;
  std::vector<std::uint64_t> ngrams_;  // ngrams_[n - 1] is the hash of the last n words
  std::size_t n_words_ = 0;            // the number of valid elements of ngrams_; it grows with a document's first words
  std::vector<std::uint64_t> places_;  // the counters of the document's terms
  std::size_t limit_ = 1 << 16;        // the size of places_ at which repeated places are removed
};

}  // namespace

TermSketch::TermSketch(std::int64_t n_counters) : n_(n_counters) {
  if (n_counters < 1) throw std::invalid_argument("n_counters must be positive, got " + std::to_string(n_counters));
  counters_ = LargeArray<std::uint8_t>::zeroed(n_counters);
}

void TermSketch::add(const TextRules& rules, Texts texts, const Threads& threads) {
  if (rules.stems) throw std::invalid_argument("a sketch cannot count stems");
  PerThread<Sketcher> sketchers(threads);
  const auto add = [&](std::size_t, std::int64_t begin, std::int64_t end, Worker& worker) {
    sketchers.own(worker, rules, this).add(texts, begin, end, worker);
  };
  for_each_chunk(rules, texts, chunk_bounds(texts), threads, add);
}

}  // namespace termsift
