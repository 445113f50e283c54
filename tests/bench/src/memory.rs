//! How much memory a program held at most.

use std::io;
use std::process::Child;

/// Waits for the end; the exit code, and the peak in KiB where the system tells it.
#[cfg(unix)]
pub fn wait(child: Child) -> io::Result<(i32, Option<u64>)> {
    let mut status = 0;
    // SAFETY: all zeroes is a value of this plain struct, and both pointers are to locals that outlive the call.
    let (waited, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let waited = libc::wait4(
            child.id() as libc::pid_t,
            &raw mut status,
            0,
            &raw mut usage,
        );
        (waited, usage)
    };
    if waited < 0 {
        return Err(io::Error::last_os_error());
    }
    let peak = u64::try_from(usage.ru_maxrss).unwrap_or(0);
    // macOS counts bytes.
    let peak = if cfg!(target_os = "macos") {
        peak / 1024
    } else {
        peak
    };
    Ok((libc::WEXITSTATUS(status), Some(peak)))
}

#[cfg(not(unix))]
pub fn wait(mut child: Child) -> io::Result<(i32, Option<u64>)> {
    Ok((child.wait()?.code().unwrap_or(-1), None))
}
