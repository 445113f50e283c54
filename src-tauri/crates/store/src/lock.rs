//! One writer for each conversation.
