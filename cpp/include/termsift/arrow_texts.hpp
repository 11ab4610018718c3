// Columns of strings that another library passes by the Arrow C data interface.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "termsift/arrow_c.hpp"
#include "termsift/parallel.hpp"
#include "termsift/texts.hpp"

namespace termsift {

// Texts that point into Arrow arrays. An array is released with the last copy of its owner.
struct ArrowTexts {
  std::vector<Text> texts;
  std::vector<std::shared_ptr<const void>> owners;
};

// Thrown for a column of another type.
struct NotStrings : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Both functions return the texts of an array of strings, or of the column of a table if `column` names one. Nulls are
// missing texts. The string types are utf8, large_utf8, utf8_view and dictionaries of these; text is not copied. Both take
// over their argument and release it exactly once, on errors too. They trust the structure of an array and check its values.
// Whether bytes are UTF-8 is checked by whoever reads the texts.
ArrowTexts texts_of_stream(ArrowArrayStream& stream, const std::optional<std::string>& column, const Poll& poll);
ArrowTexts texts_of_array(ArrowSchema& schema, ArrowArray& array, const std::optional<std::string>& column,
                          const Poll& poll = {});

}  // namespace termsift
