//! What can still be read from a damaged database.
