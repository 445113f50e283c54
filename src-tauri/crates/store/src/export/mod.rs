//! A conversation as a file to keep.
