// The size of the stacks of threads. base/portability.cpp asks the system.
#pragma once

namespace termsift {

// Gives each thread that this process starts from now on a stack of at least 1 MiB, where the system allows it. The threads
// of a loop may call Python, for which musl's 128 KiB are too few.
void raise_stack_size();

}  // namespace termsift
