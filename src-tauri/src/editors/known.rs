//! The editors that are known: their names, how they are told a place, and where they are.

use kandev_transport::Os;

/// How an editor is told the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `--goto FILE:LINE:COLUMN`
    Goto,
    /// `FILE:LINE:COLUMN`
    Colons,
    /// `--line LINE --column COLUMN FILE`
    Options,
    /// `+call cursor(LINE,COLUMN) FILE`
    Cursor,
}

#[derive(Debug)]
pub(super) struct Known {
    /// As the settings keep it.
    pub(super) id: &'static str,
    /// For people.
    pub(super) name: &'static str,
    pub(super) form: Form,
    /// It runs in a terminal.
    pub(super) terminal: bool,
    /// On PATH, without `.exe`.
    pub(super) commands: &'static [&'static str],
    /// Below `/Applications`; the app may have more to its name where there is a star.
    pub(super) bundles: &'static [&'static str],
    /// On Windows, with a variable first.
    pub(super) windows: &'static [&'static str],
}

const fn code(
    id: &'static str,
    name: &'static str,
    commands: &'static [&'static str],
    bundles: &'static [&'static str],
    windows: &'static [&'static str],
) -> Known {
    Known {
        id,
        name,
        form: Form::Goto,
        terminal: false,
        commands,
        bundles,
        windows,
    }
}

/// JetBrains' editors are installed alike. Its Toolbox puts a script for each in a folder of its own.
const fn jetbrains(
    id: &'static str,
    name: &'static str,
    commands: &'static [&'static str],
    bundles: &'static [&'static str],
    windows: &'static [&'static str],
) -> Known {
    Known {
        id,
        name,
        form: Form::Options,
        terminal: false,
        commands,
        bundles,
        windows,
    }
}

const fn in_terminal(
    id: &'static str,
    name: &'static str,
    form: Form,
    commands: &'static [&'static str],
    windows: &'static [&'static str],
) -> Known {
    Known {
        id,
        name,
        form,
        terminal: true,
        commands,
        bundles: &[],
        windows,
    }
}

/// Tried in this order. What needs a terminal comes last.
pub(super) const KNOWN: &[Known] = &[
    code(
        "vscode",
        "VS Code",
        &["code"],
        &["Visual Studio Code.app/Contents/Resources/app/bin/code"],
        &[
            r"%LOCALAPPDATA%\Programs\Microsoft VS Code\Code.exe",
            r"%ProgramFiles%\Microsoft VS Code\Code.exe",
        ],
    ),
    code(
        "vscode-insiders",
        "VS Code Insiders",
        &["code-insiders"],
        &["Visual Studio Code - Insiders.app/Contents/Resources/app/bin/code"],
        &[
            r"%LOCALAPPDATA%\Programs\Microsoft VS Code Insiders\Code - Insiders.exe",
            r"%ProgramFiles%\Microsoft VS Code Insiders\Code - Insiders.exe",
        ],
    ),
    code(
        "vscodium",
        "VSCodium",
        &["codium"],
        &["VSCodium.app/Contents/Resources/app/bin/codium"],
        &[
            r"%LOCALAPPDATA%\Programs\VSCodium\VSCodium.exe",
            r"%ProgramFiles%\VSCodium\VSCodium.exe",
        ],
    ),
    Known {
        id: "zed",
        name: "Zed",
        form: Form::Colons,
        terminal: false,
        commands: &["zed", "zeditor"],
        bundles: &[
            "Zed.app/Contents/MacOS/cli",
            "Zed Preview.app/Contents/MacOS/cli",
        ],
        windows: &[
            r"%LOCALAPPDATA%\Programs\Zed\bin\zed.exe",
            r"%ProgramFiles%\Zed\bin\zed.exe",
        ],
    },
    Known {
        id: "sublime",
        name: "Sublime Text",
        form: Form::Colons,
        terminal: false,
        commands: &["subl", "sublime_text"],
        bundles: &["Sublime Text.app/Contents/SharedSupport/bin/subl"],
        windows: &[
            r"%ProgramFiles%\Sublime Text\subl.exe",
            r"%ProgramFiles%\Sublime Text 3\subl.exe",
        ],
    },
    jetbrains(
        "idea",
        "IntelliJ IDEA",
        &[
            "idea",
            "idea64",
            "intellij-idea-ultimate",
            "intellij-idea-community",
        ],
        &["IntelliJ IDEA*.app/Contents/MacOS/idea"],
        &[
            r"%LOCALAPPDATA%\Programs\IntelliJ IDEA*\bin\idea64.exe",
            r"%ProgramFiles%\JetBrains\IntelliJ IDEA*\bin\idea64.exe",
        ],
    ),
    jetbrains(
        "pycharm",
        "PyCharm",
        &[
            "pycharm",
            "pycharm64",
            "pycharm-professional",
            "pycharm-community",
        ],
        &["PyCharm*.app/Contents/MacOS/pycharm"],
        &[
            r"%LOCALAPPDATA%\Programs\PyCharm*\bin\pycharm64.exe",
            r"%ProgramFiles%\JetBrains\PyCharm*\bin\pycharm64.exe",
        ],
    ),
    jetbrains(
        "webstorm",
        "WebStorm",
        &["webstorm", "webstorm64"],
        &["WebStorm*.app/Contents/MacOS/webstorm"],
        &[
            r"%LOCALAPPDATA%\Programs\WebStorm*\bin\webstorm64.exe",
            r"%ProgramFiles%\JetBrains\WebStorm*\bin\webstorm64.exe",
        ],
    ),
    jetbrains(
        "rustrover",
        "RustRover",
        &["rustrover", "rustrover64"],
        &["RustRover*.app/Contents/MacOS/rustrover"],
        &[
            r"%LOCALAPPDATA%\Programs\RustRover*\bin\rustrover64.exe",
            r"%ProgramFiles%\JetBrains\RustRover*\bin\rustrover64.exe",
        ],
    ),
    jetbrains(
        "goland",
        "GoLand",
        &["goland", "goland64"],
        &["GoLand*.app/Contents/MacOS/goland"],
        &[
            r"%LOCALAPPDATA%\Programs\GoLand*\bin\goland64.exe",
            r"%ProgramFiles%\JetBrains\GoLand*\bin\goland64.exe",
        ],
    ),
    jetbrains(
        "clion",
        "CLion",
        &["clion", "clion64"],
        &["CLion*.app/Contents/MacOS/clion"],
        &[
            r"%LOCALAPPDATA%\Programs\CLion*\bin\clion64.exe",
            r"%ProgramFiles%\JetBrains\CLion*\bin\clion64.exe",
        ],
    ),
    jetbrains(
        "phpstorm",
        "PhpStorm",
        &["phpstorm", "phpstorm64"],
        &["PhpStorm*.app/Contents/MacOS/phpstorm"],
        &[
            r"%LOCALAPPDATA%\Programs\PhpStorm*\bin\phpstorm64.exe",
            r"%ProgramFiles%\JetBrains\PhpStorm*\bin\phpstorm64.exe",
        ],
    ),
    jetbrains(
        "rubymine",
        "RubyMine",
        &["rubymine", "rubymine64"],
        &["RubyMine*.app/Contents/MacOS/rubymine"],
        &[
            r"%LOCALAPPDATA%\Programs\RubyMine*\bin\rubymine64.exe",
            r"%ProgramFiles%\JetBrains\RubyMine*\bin\rubymine64.exe",
        ],
    ),
    jetbrains(
        "rider",
        "Rider",
        &["rider", "rider64"],
        &["Rider*.app/Contents/MacOS/rider"],
        &[
            r"%LOCALAPPDATA%\Programs\Rider*\bin\rider64.exe",
            r"%ProgramFiles%\JetBrains\JetBrains Rider*\bin\rider64.exe",
        ],
    ),
    in_terminal(
        "neovim",
        "Neovim",
        Form::Cursor,
        &["nvim"],
        &[r"%ProgramFiles%\Neovim\bin\nvim.exe"],
    ),
    in_terminal(
        "vim",
        "Vim",
        Form::Cursor,
        &["vim"],
        &[
            r"%ProgramFiles%\Vim\vim*\vim.exe",
            r"%ProgramFiles(x86)%\Vim\vim*\vim.exe",
        ],
    ),
    in_terminal("helix", "Helix", Form::Colons, &["hx", "helix"], &[]),
];

/// The name for people of an editor that is known, or the id as it is.
pub(super) fn name(id: &str) -> &str {
    let known = KNOWN.iter().find(|known| known.id == id);
    known.map_or(id, |known| known.name)
}

/// Where programs are besides PATH, `~` being the person's own folder: a window is started with less of it than a terminal.
pub(super) fn more_folders(os: Os) -> &'static [&'static str] {
    match os {
        Os::Linux => &[
            "~/.local/share/JetBrains/Toolbox/scripts",
            "~/.local/bin",
            "/usr/local/bin",
            "/snap/bin",
        ],
        Os::MacOs => &[
            "~/Library/Application Support/JetBrains/Toolbox/scripts",
            "~/.local/bin",
            "/usr/local/bin",
            "/opt/homebrew/bin",
        ],
        Os::Windows => &[],
    }
}
