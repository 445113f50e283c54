//! Finding the CLI, spawning it, its three pipes, and killing its whole tree. The only room that starts a process.
