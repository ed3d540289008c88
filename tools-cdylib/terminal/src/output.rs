//! What a command prints, made readable and kept within a limit while it runs.
//!
//! Bytes go through four small steps, each of which needs the same memory for a kilobyte and for a terabyte:
//! [`Decoder`] makes text of them, [`Screen`] takes out what steers a terminal, [`Line`] applies the carriage
//! returns of progress bars, [`Clip`] keeps the head and the tail.

mod clip;
mod decoder;
mod line;
mod screen;

use clip::Clip;
use decoder::Decoder;
use line::Line;
use screen::Screen;

/// The output of one command, while it comes in.
pub(crate) struct Output {
    decoder: Decoder,
    screen: Screen,
}

/// The output of one command, when it has ended.
#[derive(Debug)]
pub(crate) struct Printed {
    /// The text, with a mark where characters were left out.
    pub(crate) text: String,
    /// How many characters were left out (Unicode scalar values, after cleaning).
    pub(crate) omitted: u64,
    /// Were there bytes that are not UTF-8? Each such sequence stands as U+FFFD in the text.
    pub(crate) not_utf8: bool,
}

impl Output {
    /// Nothing yet; at most `limit` characters will be kept.
    pub(crate) fn new(limit: usize) -> Self {
        Output { decoder: Decoder::default(), screen: Screen::new(Clip::new(limit)) }
    }

    /// Takes in the next bytes, wherever they were cut.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let screen = &mut self.screen;
        self.decoder.decode(bytes, |text| screen.write(text));
    }

    /// Ends the output.
    pub(crate) fn finish(self) -> Printed {
        let Output { decoder, mut screen } = self;
        let not_utf8 = decoder.finish(|text| screen.write(text));
        let (text, omitted) = screen.finish().finish();
        Printed { text, omitted, not_utf8 }
    }
}
