use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::elf::{ElfFile64, ElfSymbol64};
use object::{Object, ObjectSegment, ObjectSymbol};
use toolrack::probe::{self, Kind, Peek, Target};
use toolrack::scan::is_library_name;

/// How many libraries are compared, and how many names of each sort in each of them.
const LIBRARIES: usize = 200;
const NAMES: usize = 5;

/// What the child is told, and where it answers.
const LIBRARY: &str = "TOOLRACK_TEST_LIBRARY";
const QUESTIONS: &str = "TOOLRACK_TEST_NAMES";

const STB_GNU_UNIQUE: u8 = 10;

/// Asked of every library. In the C library they are: only there as an old version, thread-local, chosen at load time,
/// and data.
const ODD: [&str; 4] = ["sys_nerr", "errno", "memcpy", "environ"];

/// Where `dlsym` found a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    No,
    Here,
    Elsewhere,
}

/// A name, and what is odd about its entry.
struct Question {
    name: String,
    unique: bool,
}

#[test]
fn the_reader_agrees_with_dlsym_on_the_libraries_of_the_system() {
    let mut compared = 0;
    let mut unopened = Vec::new();
    let mut kinds = BTreeSet::new();
    let mut wrong = Vec::new();
    for path in libraries() {
        if compared == LIBRARIES {
            break;
        }
        let bytes = std::fs::read(&path).unwrap();
        let Ok(file) = ElfFile64::<object::Endianness>::parse(&*bytes) else { continue };
        let questions = questions(&file);
        let answers = match ask(&path, &questions) {
            Ok(answers) => answers,
            Err(why) => {
                unopened.push(format!("{}: {why}", path.display()));
                continue;
            }
        };
        // Whatever the system loads is a sound library, to a host that only looks for plugins too.
        let peek = probe::peek(&bytes, Target::host());
        if peek != Peek::Other {
            wrong.push(format!("{}: {peek:?}", path.display()));
            continue;
        }
        for (question, dlsym) in questions.iter().zip(answers) {
            let read = probe::find_symbol(&bytes, &question.name);
            let agrees = match &read {
                // Of a unique symbol the whole process has one, which may be another library's.
                Ok(Some(_)) if question.unique => dlsym != Found::No,
                Ok(Some(definition)) => match definition.kind {
                    Kind::Data | Kind::Function => dlsym == Found::Here,
                    // A resolver answers with a function of its choice, a thread-local is a copy, and a number may
                    // look like any address.
                    Kind::Resolver | Kind::ThreadLocal => dlsym != Found::No,
                    Kind::Absolute => true,
                    Kind::Common | Kind::Forwarded(_) => false,
                },
                // The system goes on to the libraries that this one needs.
                Ok(None) => dlsym != Found::Here,
                Err(_) => false,
            };
            if let Ok(Some(definition)) = &read {
                kinds.insert(format!("{:?}", definition.kind));
            }
            if !agrees {
                wrong.push(format!("{}: {}: {read:?}, dlsym {dlsym:?}", path.display(), question.name));
            }
        }
        compared += 1;
    }
    println!("{compared} libraries compared, symbols of these kinds: {kinds:?}");
    println!("not opened by the system:\n{}", unopened.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for kind in ["Data", "Function", "Resolver", "ThreadLocal"] {
        assert!(kinds.contains(kind), "no symbol of the kind {kind} was compared: {kinds:?}");
    }
    assert!(compared >= LIBRARIES.min(20), "too few libraries on this system: {compared}");
}

/// What the libraries of the system have too rarely, built here.
#[test]
fn the_reader_agrees_with_dlsym_on_odd_definitions() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    std::fs::write(&script, "V1 { };\nV2 { };\n").unwrap();
    let versioned = format!("-Wl,--version-script={}", script.display());
    let version = |lines: &str| format!("{lines}\n__asm__(\".symver a,register_tools@V1\");");
    let cases: [(&str, String, &[&str], Found); 14] = [
        ("data", "int register_tools = 7;".into(), &[], Found::Here),
        ("sysv", "int register_tools = 7;".into(), &["-Wl,--hash-style=sysv"], Found::Here),
        ("both", "int register_tools = 7;".into(), &["-Wl,--hash-style=both"], Found::Here),
        ("zero", "int register_tools;".into(), &[], Found::Here),
        ("weak", "__attribute__((weak)) int register_tools = 7;".into(), &[], Found::Here),
        (
            "protected",
            "__attribute__((visibility(\"protected\"))) int register_tools = 7;".into(),
            &[],
            Found::Here,
        ),
        ("hidden", "__attribute__((visibility(\"hidden\"))) int register_tools = 7;".into(), &[], Found::No),
        (
            "local",
            "static int register_tools = 7; int* p(void) { return &register_tools; }".into(),
            &[],
            Found::No,
        ),
        ("function", "int register_tools(void) { return 7; }".into(), &[], Found::Here),
        ("thread-local", "__thread int register_tools = 7;".into(), &[], Found::Elsewhere),
        ("old version", version("int a = 7;"), &[&versioned], Found::No),
        (
            "default version",
            version("int a = 7; int b = 8;") + "__asm__(\".symver b,register_tools@@V2\");",
            &[&versioned],
            Found::Here,
        ),
        (
            "number",
            "__asm__(\".globl register_tools; .set register_tools, 0x1234\");".into(),
            &[],
            Found::Elsewhere,
        ),
        (
            "imported",
            "extern int register_tools __attribute__((weak)); int* p(void) { return &register_tools; }"
                .into(),
            &[],
            Found::No,
        ),
    ];
    for (name, source, arguments, expected) in cases {
        let path = folder.path().join(format!("{name}.so"));
        crate::build::shared(&source, &path, arguments);
        agree(name, &path, expected);
        // The section headers are nothing to the system: without them all stays the same.
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[40..48].fill(0);
        bytes[58..64].fill(0);
        let path = folder.path().join(format!("{name}-bare.so"));
        std::fs::write(&path, bytes).unwrap();
        agree(name, &path, expected);
    }
}

#[track_caller]
fn agree(name: &str, path: &Path, expected: Found) {
    let question = Question { name: "register_tools".into(), unique: false };
    let dlsym = ask(path, &[question]).unwrap()[0];
    assert_eq!(dlsym, expected, "{name}: dlsym");
    let read = probe::find_symbol(&std::fs::read(path).unwrap(), "register_tools").unwrap();
    assert_eq!(read.is_some(), expected != Found::No, "{name}: {read:?}");
}

/// Not a test of its own: the child of the one above, which loads one library and answers.
#[test]
fn child_that_calls_dlsym() {
    let (Some(path), Some(names)) = (std::env::var_os(LIBRARY), std::env::var_os(QUESTIONS)) else { return };
    let names = std::fs::read_to_string(names).unwrap();
    let answers = lookup(&path, &names.lines().collect::<Vec<_>>());
    std::fs::write(Path::new(&std::env::var_os(QUESTIONS).unwrap()).with_extension("answers"), answers)
        .unwrap();
    // Without the destructors of what was loaded.
    std::process::exit(0);
}

#[expect(unsafe_code, reason = "the second opinion is the system's own loader")]
fn lookup(path: &OsStr, names: &[&str]) -> String {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: this process was started for nothing but to run the constructors of this library, and ends if they fail.
    let library = match unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) } {
        Ok(library) => library,
        Err(error) => {
            return format!("failed: {:?}", std::error::Error::source(&error).map(ToString::to_string));
        }
    };
    let extent = extent(&std::fs::canonicalize(path).unwrap());
    let mut answers = String::new();
    for name in names {
        // SAFETY: the address is only looked at as a number.
        let address =
            unsafe { library.get::<*const ()>(name.as_bytes()) }.map(|symbol| symbol.as_raw_ptr() as usize);
        answers.push_str(match address {
            Err(_) | Ok(0) => "no\n",
            Ok(address) if extent.contains(&address) => "here\n",
            Ok(_) => "elsewhere\n",
        });
    }
    std::mem::forget(library);
    answers
}

/// The addresses that the library takes up in this process: from where its file is mapped, as far as its segments reach.
fn extent(path: &Path) -> std::ops::RangeInclusive<usize> {
    let bytes = std::fs::read(path).unwrap();
    let file = ElfFile64::<object::Endianness>::parse(&*bytes).unwrap();
    let end = file.segments().map(|segment| segment.address() + segment.size()).max().unwrap() as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let first = maps.lines().find(|line| line.ends_with(path.to_str().unwrap())).unwrap();
    let start = usize::from_str_radix(first.split('-').next().unwrap(), 16).unwrap();
    // A symbol may stand for the end itself.
    start..=start + end
}

fn ask(path: &Path, questions: &[Question]) -> Result<Vec<Found>, String> {
    let folder = tempfile::tempdir().unwrap();
    let names = folder.path().join("names");
    std::fs::write(
        &names,
        questions.iter().map(|question| format!("{}\n", question.name)).collect::<String>(),
    )
    .unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "dlsym::child_that_calls_dlsym", "--nocapture", "--test-threads=1"])
        .env(LIBRARY, path)
        .env(QUESTIONS, &names)
        .output()
        .unwrap();
    let answers = std::fs::read_to_string(names.with_extension("answers")).map_err(|_| {
        format!("no answer, {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())
    })?;
    if answers.starts_with("failed") {
        return Err(answers);
    }
    let found = answers.lines().map(|line| match line {
        "no" => Found::No,
        "here" => Found::Here,
        _ => Found::Elsewhere,
    });
    Ok(found.collect())
}

/// Five exported names, the odd ones first, five imported and five that nobody has.
fn questions(file: &ElfFile64<'_>) -> Vec<Question> {
    let symbols: Vec<_> = file.dynamic_symbols().filter(|symbol| symbol.name().is_ok_and(is_plain)).collect();
    let exported = |symbol: &&ElfSymbol64<'_, '_>| !symbol.is_undefined() && symbol.is_global();
    let exported: Vec<_> = symbols.iter().filter(exported).collect();
    let imported: Vec<_> = symbols.iter().filter(|symbol| symbol.is_undefined()).collect();
    let mut chosen: Vec<Question> = Vec::new();
    let mut seen = BTreeSet::new();
    for symbol in &exported {
        if chosen.len() < NAMES - 2 && seen.insert(oddness(symbol)) {
            chosen.push(question(symbol));
        }
    }
    for list in [&exported, &imported] {
        let room = if std::ptr::eq(list, &exported) { NAMES - chosen.len() } else { NAMES };
        chosen.extend(
            list.iter().step_by((list.len() / room).max(1)).take(room).map(|symbol| question(symbol)),
        );
    }
    let mut absent = vec!["register_tools".to_owned(), "no_such_symbol".to_owned(), "_".to_owned()];
    let odd = ODD.into_iter().map(|name| Question { name: name.to_owned(), unique: false });
    absent.extend(exported.iter().take(NAMES - 3).map(|symbol| format!("{}_", symbol.name().unwrap())));
    let known: BTreeSet<_> = exported.iter().map(|symbol| symbol.name().unwrap().to_owned()).collect();
    absent.retain(|name| !known.contains(name));
    chosen.extend(absent.into_iter().map(|name| Question { name, unique: false }));
    chosen.extend(odd);
    chosen
}

fn question(symbol: &ElfSymbol64<'_, '_>) -> Question {
    let unique = symbol.elf_symbol().st_info.0 >> 4 == STB_GNU_UNIQUE;
    Question { name: symbol.name().unwrap().to_owned(), unique }
}

/// Kind, binding and visibility of a symbol, and whether its section is one of the numbers with a meaning.
fn oddness(symbol: &ElfSymbol64<'_, '_>) -> (u8, u8, bool) {
    let raw = symbol.elf_symbol();
    let section = raw.st_shndx.get(object::Endianness::Little);
    (raw.st_info.0, raw.st_other.0 & 3, section.0 >= 0xff00)
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['\n', '\0'])
}

/// The system's libraries: each file once, in one order. Those that programs use come before those that only other
/// libraries load.
fn libraries() -> Vec<PathBuf> {
    let folders = ["/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for depth in [1, 8] {
        for folder in folders {
            for entry in
                walkdir::WalkDir::new(folder).max_depth(depth).sort_by_file_name().into_iter().flatten()
            {
                let name = entry.file_name();
                // Sanitizers take over the process that loads them.
                let takes_over = ["libasan", "libtsan", "libhwasan", "liblsan"];
                let takes_over = takes_over.iter().any(|prefix| name.to_string_lossy().starts_with(prefix));
                let is_library = entry.file_type().is_file() && is_library_name(name) && !takes_over;
                let Ok(real) = std::fs::canonicalize(entry.path()) else { continue };
                if is_library && seen.insert(real.clone()) {
                    found.push(real);
                }
            }
        }
    }
    found
}
