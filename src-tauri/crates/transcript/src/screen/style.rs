//! How text looks: SGR sequences (ECMA-48 8.3.117) and the colours of xterm.

use vte::Params;

use super::line::OutputRun;

/// A colour in 32 bits: a tag in the highest byte.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Colour(u32);

const NAMED: u32 = 1 << 24;
const MIXED: u32 = 2 << 24;
const NAMES: [&str; 8] = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
];

impl Colour {
    fn named(index: u32) -> Self {
        Self(NAMED | index)
    }

    fn mixed(red: u16, green: u16, blue: u16) -> Self {
        let part = |part: u16| u32::from(part.min(255));
        Self(MIXED | part(red) << 16 | part(green) << 8 | part(blue))
    }

    /// Of the 256 of xterm: the sixteen, a cube of six steps, the greys.
    fn of_palette(index: u16) -> Self {
        let level = |step: u16| if step == 0 { 0 } else { 55 + 40 * step };
        match index {
            0..16 => Self::named(index.into()),
            16..232 => {
                let at = index - 16;
                Self::mixed(level(at / 36), level(at / 6 % 6), level(at % 6))
            }
            _ => {
                let grey = 8 + (index.min(255) - 232) * 10;
                Self::mixed(grey, grey, grey)
            }
        }
    }

    fn name(self) -> Option<String> {
        let value = self.0 & 0x00ff_ffff;
        match self.0 & 0xff00_0000 {
            NAMED => {
                let name = NAMES[value as usize % 8];
                Some(match value {
                    0..8 => name.to_owned(),
                    _ => format!("bright_{name}"),
                })
            }
            MIXED => Some(format!("#{value:06x}")),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub fg: Colour,
    pub bg: Colour,
    pub flags: u32,
}

pub(super) const BOLD: u32 = 1;
pub(super) const DIM: u32 = 1 << 1;
pub(super) const ITALIC: u32 = 1 << 2;
pub(super) const UNDERLINE: u32 = 1 << 3;
pub(super) const STRIKE: u32 = 1 << 4;
pub(super) const INVERSE: u32 = 1 << 5;
/// A terminal shows blanks in its place.
pub(super) const CONCEALED: u32 = 1 << 6;
/// The flags that a run shows.
pub(super) const SHOWN: u32 = CONCEALED - 1;

impl Style {
    /// Takes the parameters of one SGR sequence.
    pub fn apply(&mut self, params: &Params) {
        let mut codes = params.iter();
        while let Some(code) = codes.next() {
            match code {
                [38 | 48 | 58, ..] => {
                    let colour = match code {
                        [_] => colour_after(&mut codes),
                        [_, spec @ ..] => colour_in(spec),
                        [] => None,
                    };
                    match (code[0], colour) {
                        (38, Some(colour)) => self.fg = colour,
                        (48, Some(colour)) => self.bg = colour,
                        // 58 colours the underline, which takes the colour of the text here.
                        _ => {}
                    }
                }
                [4, 0, ..] => self.flags &= !UNDERLINE,
                [code, ..] => self.apply_one(*code),
                [] => {}
            }
        }
    }

    fn apply_one(&mut self, code: u16) {
        match code {
            0 => *self = Self::default(),
            1 => self.flags |= BOLD,
            2 => self.flags |= DIM,
            3 => self.flags |= ITALIC,
            4 | 21 => self.flags |= UNDERLINE,
            7 => self.flags |= INVERSE,
            8 => self.flags |= CONCEALED,
            9 => self.flags |= STRIKE,
            22 => self.flags &= !(BOLD | DIM),
            23 => self.flags &= !ITALIC,
            24 => self.flags &= !UNDERLINE,
            27 => self.flags &= !INVERSE,
            28 => self.flags &= !CONCEALED,
            29 => self.flags &= !STRIKE,
            39 => self.fg = Colour::default(),
            49 => self.bg = Colour::default(),
            30..=37 => self.fg = Colour::named(u32::from(code) - 30),
            40..=47 => self.bg = Colour::named(u32::from(code) - 40),
            90..=97 => self.fg = Colour::named(u32::from(code) - 90 + 8),
            100..=107 => self.bg = Colour::named(u32::from(code) - 100 + 8),
            _ => {}
        }
    }

    /// A run without text.
    pub fn run(self) -> OutputRun {
        let has = |flag| self.flags & flag != 0;
        OutputRun {
            text: String::new(),
            fg: self.fg.name(),
            bg: self.bg.name(),
            bold: has(BOLD),
            dim: has(DIM),
            italic: has(ITALIC),
            underline: has(UNDERLINE),
            strike: has(STRIKE),
            inverse: has(INVERSE),
        }
    }
}

/// `38;5;n` and `38;2;r;g;b`: each a parameter of its own.
fn colour_after<'a>(codes: &mut impl Iterator<Item = &'a [u16]>) -> Option<Colour> {
    let mut next = || codes.next().and_then(|code| code.first().copied());
    match next()? {
        5 => Some(Colour::of_palette(next()?)),
        2 => Some(Colour::mixed(next()?, next()?, next()?)),
        _ => None,
    }
}

/// `38:5:n`, `38:2:r:g:b` and `38:2:space:r:g:b`.
fn colour_in(spec: &[u16]) -> Option<Colour> {
    match *spec {
        [5, index, ..] => Some(Colour::of_palette(index)),
        [2, red, green, blue] | [2, _, red, green, blue, ..] => {
            Some(Colour::mixed(red, green, blue))
        }
        _ => None,
    }
}
