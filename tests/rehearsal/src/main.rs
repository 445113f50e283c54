use std::process::ExitCode;

fn main() -> ExitCode {
    let args = std::env::args_os().skip(1);
    kandev_rehearsal::main(args.skip_while(|arg| arg == kandev_rehearsal::RUN_FLAG))
}
