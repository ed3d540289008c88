//! ELF images of a few hundred bytes, built field by field, so that a test can spoil any one of them.

/// A symbol of an image. What has no place of its own stands at the header.
#[derive(Clone)]
pub(crate) struct Sym {
    pub(crate) name: &'static str,
    /// Binding in the upper half, kind in the lower.
    pub(crate) info: u8,
    pub(crate) other: u8,
    pub(crate) section: u16,
    pub(crate) value: Option<u64>,
    pub(crate) version: u16,
}

impl Default for Sym {
    fn default() -> Self {
        Sym { name: "register_tools", info: 0x11, other: 0, section: 1, value: None, version: 1 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hash {
    Gnu,
    Sysv,
    Both,
    None,
}

#[derive(Clone)]
pub(crate) struct Elf {
    pub(crate) wide: bool,
    pub(crate) big: bool,
    pub(crate) kind: u16,
    pub(crate) machine: u16,
    pub(crate) os_abi: u8,
    pub(crate) flags_1: u64,
    pub(crate) hash: Hash,
    pub(crate) symbols: Vec<Sym>,
    pub(crate) versions: bool,
    pub(crate) needed: Vec<&'static str>,
    /// A version that is needed of the C library, and whether only weakly.
    pub(crate) needs: Option<(&'static str, bool)>,
    pub(crate) soname: Option<&'static str>,
    pub(crate) run_path: Option<&'static str>,
    /// The flags of the stack's program header.
    pub(crate) stack: Option<u32>,
    /// The bits of the needed processor.
    pub(crate) processor: Option<u32>,
    pub(crate) header: Vec<u8>,
}

impl Default for Elf {
    fn default() -> Self {
        Elf {
            wide: true,
            big: false,
            kind: 3,
            machine: 62,
            os_abi: 0,
            flags_1: 0,
            hash: Hash::Gnu,
            symbols: vec![Sym::default()],
            versions: false,
            needed: vec!["libc.so.6"],
            needs: None,
            soname: None,
            run_path: None,
            stack: Some(6),
            processor: None,
            header: crate::build::Header::default().bytes(),
        }
    }
}

/// An image, and where its parts stand.
pub(crate) struct Built {
    pub(crate) bytes: Vec<u8>,
    pub(crate) program_headers: usize,
    pub(crate) dynamic: usize,
    pub(crate) gnu_hash: usize,
    pub(crate) sysv_hash: usize,
    pub(crate) symbols: usize,
    pub(crate) header: usize,
    wide: bool,
    big: bool,
}

impl Built {
    pub(crate) fn u16(&mut self, at: usize, value: u16) -> &mut Self {
        self.put(at, if self.big { value.to_be_bytes() } else { value.to_le_bytes() })
    }

    pub(crate) fn u32(&mut self, at: usize, value: u32) -> &mut Self {
        self.put(at, if self.big { value.to_be_bytes() } else { value.to_le_bytes() })
    }

    pub(crate) fn word(&mut self, at: usize, value: u64) -> &mut Self {
        if !self.wide {
            return self.u32(at, value as u32);
        }
        self.put(at, if self.big { value.to_be_bytes() } else { value.to_le_bytes() })
    }

    /// Changes the value of an entry of the dynamic section.
    pub(crate) fn dynamic(&mut self, tag: u64, value: u64) -> &mut Self {
        let word = if self.wide { 8 } else { 4 };
        for at in (self.dynamic..).step_by(2 * word).take(32) {
            if self.read(at) == tag {
                return self.word(at + word, value);
            }
        }
        panic!("no entry {tag:#x}");
    }

    /// Makes an entry of the dynamic section one that nobody knows.
    pub(crate) fn forget(&mut self, tag: u64) -> &mut Self {
        let word = if self.wide { 8 } else { 4 };
        let at = (self.dynamic..).step_by(2 * word).take(32).find(|at| self.read(*at) == tag);
        self.word(at.expect("no such entry"), 0x6fff_0000)
    }

    fn read(&self, at: usize) -> u64 {
        let raw = &self.bytes[at..at + if self.wide { 8 } else { 4 }];
        let fold = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        if self.big { raw.iter().fold(0, fold) } else { raw.iter().rev().fold(0, fold) }
    }

    fn put<const N: usize>(&mut self, at: usize, raw: [u8; N]) -> &mut Self {
        self.bytes[at..at + N].copy_from_slice(&raw);
        self
    }
}

/// Bytes that grow, in the image's byte order.
struct Out {
    bytes: Vec<u8>,
    wide: bool,
    big: bool,
}

impl Out {
    fn u16(&mut self, value: u16) {
        self.bytes.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
    }

    fn u32(&mut self, value: u32) {
        self.bytes.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
    }

    fn word(&mut self, value: u64) {
        if self.wide {
            self.bytes.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
        } else {
            self.u32(value as u32);
        }
    }

    fn align(&mut self) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        self.bytes.len()
    }
}

impl Elf {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.build().bytes
    }

    pub(crate) fn build(&self) -> Built {
        let mut out = Out { bytes: Vec::new(), wide: self.wide, big: self.big };
        let count = 2 + usize::from(self.stack.is_some()) + usize::from(self.processor.is_some());
        let (header_len, entry) = if self.wide { (64, 56) } else { (52, 32) };
        out.bytes.resize(header_len + count * entry, 0);

        let mut strings = vec![0u8];
        let mut string = |text: &str| {
            let at = strings.len() as u64;
            strings.extend(text.as_bytes());
            strings.push(0);
            at
        };
        let names: Vec<u64> = self.symbols.iter().map(|symbol| string(symbol.name)).collect();
        let needed: Vec<u64> = self.needed.iter().map(|name| string(name)).collect();
        let needs = self.needs.map(|(version, weak)| (string("libc.so.6"), string(version), weak));
        let soname = self.soname.map(&mut string);
        let run_path = self.run_path.map(&mut string);

        let header = out.align();
        out.bytes.extend(&self.header);
        let symbols = out.align();
        out.bytes.resize(symbols + if self.wide { 24 } else { 16 }, 0);
        for (symbol, name) in self.symbols.iter().zip(&names) {
            let value = symbol.value.unwrap_or(if symbol.section == 0 { 0 } else { header as u64 });
            out.u32(*name as u32);
            if self.wide {
                out.bytes.extend([symbol.info, symbol.other]);
                out.u16(symbol.section);
                out.word(value);
                out.word(self.header.len() as u64);
            } else {
                out.word(value);
                out.word(self.header.len() as u64);
                out.bytes.extend([symbol.info, symbol.other]);
                out.u16(symbol.section);
            }
        }
        let string_table = out.bytes.len();
        out.bytes.extend(&strings);

        let gnu_hash = out.align();
        let undefined = self.symbols.iter().take_while(|symbol| symbol.section == 0).count() as u32;
        for value in [1, 1 + undefined, 1, 5] {
            out.u32(value);
        }
        out.word(u64::MAX);
        let defined = &self.symbols[undefined as usize..];
        out.u32(if defined.is_empty() { 0 } else { 1 + undefined });
        for (index, symbol) in defined.iter().enumerate() {
            let last = u32::from(index + 1 == defined.len());
            let hash =
                symbol.name.bytes().fold(5381u32, |hash, b| hash.wrapping_mul(33).wrapping_add(u32::from(b)));
            out.u32(hash & !1 | last);
        }
        let sysv_hash = out.align();
        let total = self.symbols.len() as u32 + 1;
        let wide_entries = self.wide && matches!(self.machine, 22 | 0x9026);
        let chain = (1..total).map(|index| if index + 1 == total { 0 } else { index + 1 });
        let entries: Vec<u32> = [1, total, u32::from(total > 1), 0].into_iter().chain(chain).collect();
        for value in entries {
            if wide_entries { out.word(u64::from(value)) } else { out.u32(value) }
        }
        let versions = out.align();
        out.u16(0);
        self.symbols.iter().for_each(|symbol| out.u16(symbol.version));
        let version_needs = out.align();
        if let Some((file, version, weak)) = needs {
            out.u16(1);
            out.u16(1);
            out.u32(file as u32);
            out.u32(16);
            out.u32(0);
            out.u32(0);
            out.u16(if weak { 2 } else { 0 });
            out.u16(2);
            out.u32(version as u32);
            out.u32(0);
        }
        let property = out.align();
        if let Some(bits) = self.processor {
            let padded = if self.wide { 16 } else { 12 };
            for value in [4, padded, 5, u32::from_le_bytes(*b"GNU\0"), 0xc000_8002, 4, bits, 0] {
                out.u32(value);
            }
        }
        let property_len = out.bytes.len() - property;

        let dynamic = out.align();
        let mut entry_of = |tag: u64, value: u64| {
            out.word(tag);
            out.word(value);
        };
        needed.iter().for_each(|name| entry_of(1, *name));
        entry_of(5, string_table as u64);
        entry_of(6, symbols as u64);
        entry_of(10, strings.len() as u64);
        if matches!(self.hash, Hash::Gnu | Hash::Both) {
            entry_of(0x6fff_fef5, gnu_hash as u64);
        }
        if matches!(self.hash, Hash::Sysv | Hash::Both) {
            entry_of(4, sysv_hash as u64);
        }
        if self.versions {
            entry_of(0x6fff_fff0, versions as u64);
        }
        if needs.is_some() {
            entry_of(0x6fff_fffe, version_needs as u64);
            entry_of(0x6fff_ffff, 1);
        }
        if let Some(name) = soname {
            entry_of(14, name);
        }
        if let Some(list) = run_path {
            entry_of(29, list);
        }
        entry_of(0x6fff_fffb, self.flags_1);
        entry_of(0, 0);
        let dynamic_len = out.bytes.len() - dynamic;
        let len = out.bytes.len();

        let mut head = Out { bytes: b"\x7fELF".to_vec(), wide: self.wide, big: self.big };
        head.bytes.extend([1 + u8::from(self.wide), 1 + u8::from(self.big), 1, self.os_abi]);
        head.bytes.resize(16, 0);
        head.u16(self.kind);
        head.u16(self.machine);
        head.u32(1);
        head.word(0);
        head.word(header_len as u64);
        head.word(0);
        head.u32(0);
        head.u16(header_len as u16);
        head.u16(entry as u16);
        head.u16(count as u16);
        [0; 3].into_iter().for_each(|value| head.u16(value));
        let mut program = |kind: u32, flags: u32, offset: usize, len: usize| {
            head.u32(kind);
            if self.wide {
                head.u32(flags);
            }
            for value in [offset, offset, offset, len, len] {
                head.word(value as u64);
            }
            if !self.wide {
                head.u32(flags);
            }
            head.word(8);
        };
        program(1, 5, 0, len);
        program(2, 6, dynamic, dynamic_len);
        if let Some(flags) = self.stack {
            program(0x6474_e551, flags, 0, 0);
        }
        if self.processor.is_some() {
            program(0x6474_e553, 4, property, property_len);
        }
        out.bytes[..head.bytes.len()].copy_from_slice(&head.bytes);
        Built {
            bytes: out.bytes,
            program_headers: header_len,
            dynamic,
            gnu_hash,
            sysv_hash,
            symbols,
            header,
            wide: self.wide,
            big: self.big,
        }
    }
}
