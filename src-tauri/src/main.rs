fn main() { kandev_desktop::run() }
