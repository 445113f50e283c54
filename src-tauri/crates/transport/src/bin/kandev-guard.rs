//! A guard and nothing else, for tests: the app is its own guard.

fn main() {
    kandev_transport::guard::run_if_asked();
    eprintln!("kandev-guard is started by kandev-transport only");
    std::process::exit(2);
}
