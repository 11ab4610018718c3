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
// missing texts. The string types are utf8, large_utf8, utf8_view and dictionaries of these; text is not copied.
//
// What they are given is moved from, so that its owner releases nothing. It is released exactly once, on errors too.
//
// No array is trusted: lengths, offsets, indices and pointers are checked before they are used, and an array that lies is
// refused by std::invalid_argument. But the interface does not tell all sizes. What cannot be checked is that an array has
// as many buffers and children as it says, that a validity bitmap, offsets, views and indices have as many elements, and
// that the bytes of utf8 and large_utf8 go as far as their offsets. (Those of utf8_view are checked, because a buffer has
// their sizes.) Whether bytes are UTF-8 is checked by whoever reads the texts.
ArrowTexts texts_of_stream(ArrowArrayStream& stream, const std::optional<std::string>& column, const Poll& poll);
ArrowTexts texts_of_array(ArrowSchema& schema, ArrowArray& array, const std::optional<std::string>& column,
                          const Poll& poll = {});

}  // namespace termsift
