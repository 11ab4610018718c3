"""What every stage uses: checks of arguments, messages, files, progress."""
