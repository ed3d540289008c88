//! UTF-8 from pieces that are cut anywhere.

/// Decodes a stream: characters cut between two reads are joined, what is not UTF-8 becomes U+FFFD.
#[derive(Default)]
pub(super) struct Decoder {
    /// The first bytes of a character whose rest is still to come: three at most.
    started: Vec<u8>,
    invalid: bool,
}

impl Decoder {
    /// Decodes the next bytes; `sink` gets the text piece by piece.
    pub(super) fn decode(&mut self, bytes: &[u8], mut sink: impl FnMut(&str)) {
        if self.started.is_empty() {
            return self.decode_joined(bytes, &mut sink);
        }
        let mut joined = std::mem::take(&mut self.started);
        joined.extend_from_slice(bytes);
        self.decode_joined(&joined, &mut sink);
    }

    /// Ends the stream: was anything in it not UTF-8?
    pub(super) fn finish(self, mut sink: impl FnMut(&str)) -> bool {
        if self.started.is_empty() {
            return self.invalid;
        }
        sink("\u{fffd}");
        true
    }

    fn decode_joined(&mut self, bytes: &[u8], sink: &mut impl FnMut(&str)) {
        let mut read = 0;
        for chunk in bytes.utf8_chunks() {
            read += chunk.valid().len() + chunk.invalid().len();
            if !chunk.valid().is_empty() {
                sink(chunk.valid());
            }
            if chunk.invalid().is_empty() {
                continue;
            }
            if read == bytes.len() && is_started(chunk.invalid()) {
                self.started = chunk.invalid().to_vec();
            } else {
                self.invalid = true;
                sink("\u{fffd}");
            }
        }
    }
}

/// Could more bytes make a character of these?
fn is_started(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|fault| fault.error_len().is_none())
}
