//! Users and groups, from `/etc/passwd` and `/etc/group`.
//!
//! The C library would also ask directory services, but only through calls that are not safe beside threads. The
//! files alone err on the safe side: an account that is not in them has no private group.

use std::fs;

/// The accounts of this machine.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    users: Vec<User>,
    groups: Vec<Group>,
}

#[derive(Debug)]
struct User {
    name: String,
    uid: u32,
    gid: u32,
}

#[derive(Debug)]
struct Group {
    name: String,
    gid: u32,
    members: Vec<String>,
}

impl Accounts {
    /// Reads the system's files; one that cannot be read counts as empty.
    pub(crate) fn of_the_system() -> Self {
        let read = |path| fs::read(path).unwrap_or_default();
        Self::parse(
            &String::from_utf8_lossy(&read("/etc/passwd")),
            &String::from_utf8_lossy(&read("/etc/group")),
        )
    }

    /// Reads the text of the two files; lines that are none are passed over.
    pub(crate) fn parse(passwd: &str, group: &str) -> Self {
        let users = passwd.lines().filter_map(|line| {
            let mut fields = line.split(':');
            let (name, _password) = (fields.next()?, fields.next()?);
            Some(User {
                name: name.to_owned(),
                uid: fields.next()?.parse().ok()?,
                gid: fields.next()?.parse().ok()?,
            })
        });
        let groups = group.lines().filter_map(|line| {
            let mut fields = line.split(':');
            let (name, _password) = (fields.next()?, fields.next()?);
            let gid = fields.next()?.parse().ok()?;
            let members = fields.next().unwrap_or_default().split(',').map(str::trim);
            let members = members.filter(|member| !member.is_empty()).map(str::to_owned).collect();
            Some(Group { name: name.to_owned(), gid, members })
        });
        Accounts { users: users.collect(), groups: groups.collect() }
    }

    /// The user's number.
    pub(crate) fn uid(&self, name: &str) -> Option<u32> {
        self.users.iter().find(|user| user.name == name).map(|user| user.uid)
    }

    /// The user's name, or the number as text.
    pub(crate) fn name(&self, uid: u32) -> String {
        self.users
            .iter()
            .find(|user| user.uid == uid)
            .map_or_else(|| uid.to_string(), |user| user.name.clone())
    }

    /// Whether nobody but this user is in the group: it has the user's name, lists no one else, and is the main
    /// group of no one else.
    pub(crate) fn is_private_group(&self, gid: u32, owner: u32) -> bool {
        let of_owner = |name: &str| self.users.iter().any(|user| user.uid == owner && user.name == name);
        let mut entries = self.groups.iter().filter(|group| group.gid == gid).peekable();
        entries.peek().is_some()
            && entries
                .all(|group| of_owner(&group.name) && group.members.iter().all(|member| of_owner(member)))
            && self.users.iter().all(|user| user.gid != gid || user.uid == owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n\
                          bob:x:1001:1001::/home/bob:/bin/sh\neve:x:1002:100::/:/bin/sh\nmel:x:1003:1001::/:\nbroken\n";
    const GROUP: &str =
        "root:x:0:\nann:x:1000:ann\nbob:x:1001:\nusers:x:100:\neve:x:1002:eve,ann\n# no line\n";

    #[test]
    fn a_group_is_private_only_if_nobody_else_is_in_it() {
        let accounts = Accounts::parse(PASSWD, GROUP);
        for (gid, owner, private, why) in [
            (0, 0, true, "root's own"),
            (1000, 1000, true, "ann's own, which lists her"),
            (1000, 1001, false, "ann's, but bob owns the file"),
            (1001, 1001, false, "mel's main group too"),
            (100, 1002, false, "eve's main group, under another name"),
            (1002, 1002, false, "eve's, with ann in it"),
            (4000, 1000, false, "a group without an entry"),
            (1000, 5000, false, "an owner without an entry"),
        ] {
            assert_eq!(accounts.is_private_group(gid, owner), private, "{why}");
        }
    }

    #[test]
    fn a_user_without_an_entry_goes_by_the_number() {
        let accounts = Accounts::parse(PASSWD, GROUP);
        assert_eq!(accounts.name(1000), "ann");
        assert_eq!(accounts.name(77), "77");
        assert_eq!(accounts.uid("bob"), Some(1001));
        assert_eq!(accounts.uid("nobody-here"), None);
    }
}
