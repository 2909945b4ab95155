"""The instructor's desk: submissions are unpacked, checked, and never trusted."""
