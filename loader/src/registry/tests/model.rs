//! Registrations at random, against a model that knows nothing of the table's own code: a flat list of claims, sorted
//! when it is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::prelude::*;

use crate::{
    Batch, Claimed, Description, HiddenBy, McpCollision, Output, Registry, RegistrySettings, Snapshot, Source,
};

/// Kind (0 the host, 1 a plugin, 2 an MCP server) and name. Of one kind, the earlier stands first.
const SOURCES: [(u8, &str); 7] =
    [(0, "app"), (0, "base"), (1, "zebra"), (1, "ant"), (1, "bee"), (2, "github"), (2, "files")];
const NAMES: [&str; 4] = ["read", "write", "search", "call"];
const TOOLSETS: [&str; 3] = ["x", "y", "z"];
const ALIASES: [&str; 3] = ["p", "q", "x"];

#[derive(Clone, Debug)]
enum Step {
    Publish(usize, Tools),
    Extend(usize, Tools),
    Withdraw(usize),
    Deregister(usize, usize),
    Policy(usize, bool),
    Alias(usize, usize),
}

/// By name: whether it asks to override, and its toolset.
type Tools = BTreeMap<usize, (bool, usize)>;

fn tools() -> impl Strategy<Value = Tools> {
    let tool = (prop::bool::weighted(0.3), 0..TOOLSETS.len());
    prop::collection::btree_map(0..NAMES.len(), tool, 0..=NAMES.len())
}

fn step() -> impl Strategy<Value = Step> {
    let source = || 0..SOURCES.len();
    prop_oneof![
        4 => (source(), tools()).prop_map(|(source, tools)| Step::Publish(source, tools)),
        4 => (source(), tools()).prop_map(|(source, tools)| Step::Extend(source, tools)),
        1 => source().prop_map(Step::Withdraw),
        2 => (source(), 0..NAMES.len()).prop_map(|(source, name)| Step::Deregister(source, name)),
        2 => (source(), any::<bool>()).prop_map(|(plugin, allow)| Step::Policy(plugin, allow)),
        1 => (0..ALIASES.len(), 0..TOOLSETS.len()).prop_map(|(alias, toolset)| Step::Alias(alias, toolset)),
    ]
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Rule {
    First,
    Latest,
    Reject,
}

fn rule() -> impl Strategy<Value = Rule> {
    prop_oneof![Just(Rule::First), Just(Rule::Latest), Just(Rule::Reject)]
}

struct Claim {
    source: usize,
    name: usize,
    overrides: bool,
    toolset: usize,
    /// The step in which the source first had the name.
    since: usize,
}

struct Model {
    rule: Rule,
    claims: Vec<Claim>,
    allowed: BTreeSet<usize>,
    aliases: BTreeMap<usize, usize>,
    generation: u64,
    steps: usize,
}

impl Model {
    fn new(rule: Rule) -> Self {
        Model {
            rule,
            claims: Vec::new(),
            allowed: BTreeSet::new(),
            aliases: BTreeMap::new(),
            generation: 0,
            steps: 0,
        }
    }

    /// The claims on a name, the visible one first.
    fn on(&self, name: usize) -> Vec<&Claim> {
        let mut claims: Vec<&Claim> = self.claims.iter().filter(|claim| claim.name == name).collect();
        claims.sort_by_key(|claim| {
            let kind = SOURCES[claim.source].0;
            let class = if claim.overrides { 0 } else { kind + 1 };
            let late = if kind == 2 && self.rule == Rule::Latest { usize::MAX - claim.since } else { 0 };
            // Two built-ins stand in no order but that of their names, which is this list's.
            (class, late, claim.source)
        });
        claims
    }

    fn visible(&self, name: usize) -> Option<usize> {
        self.on(name).first().map(|claim| claim.source)
    }

    fn may_override(&self, source: usize) -> bool {
        SOURCES[source].0 == 0 || (SOURCES[source].0 == 1 && self.allowed.contains(&source))
    }

    fn toolsets(&self) -> BTreeSet<usize> {
        self.claims.iter().map(|claim| claim.toolset).collect()
    }

    /// What a claim that stands behind another is.
    fn behind(&self, winner: &Claim, loser: &Claim) -> &'static str {
        let servers = SOURCES[winner.source].0 == 2 && SOURCES[loser.source].0 == 2;
        if winner.overrides && !loser.overrides {
            "override"
        } else if servers && self.rule != Rule::Reject {
            "collision"
        } else {
            "conflict"
        }
    }

    fn step(&mut self, step: &Step) -> Vec<String> {
        self.steps += 1;
        let before = self.toolsets();
        let outcomes = match step {
            Step::Publish(source, tools) => self.register(*source, tools, true),
            Step::Extend(source, tools) => self.register(*source, tools, false),
            Step::Withdraw(source) => {
                self.claims.retain(|claim| claim.source != *source);
                self.generation += 1;
                Vec::new()
            }
            Step::Deregister(source, name) => self.deregister(*source, *name),
            Step::Policy(plugin, allow) => {
                self.generation += 1;
                // The policy is of plugins: under another source's name it says nothing.
                if *allow {
                    self.allowed.insert(*plugin);
                } else {
                    self.allowed.remove(plugin);
                    let revoked = |claim: &Claim| claim.source == *plugin && claim.overrides;
                    self.claims.retain(|claim| SOURCES[claim.source].0 != 1 || !revoked(claim));
                }
                Vec::new()
            }
            Step::Alias(alias, toolset) => {
                if ALIASES[*alias] == TOOLSETS[*toolset] || self.is_circular(*alias, *toolset) {
                    vec!["refused".to_owned()]
                } else {
                    self.generation += 1;
                    let old = self.aliases.insert(*alias, *toolset);
                    vec![format!("instead of {:?}", old.map(|old| TOOLSETS[old]))]
                }
            }
        };
        let after = self.toolsets();
        let gone = |toolset: &usize| before.contains(toolset) && !after.contains(toolset);
        self.aliases.retain(|_, target| !gone(target));
        outcomes
    }

    /// Of the names here only `x` is both an alias and a toolset.
    fn is_circular(&self, alias: usize, toolset: usize) -> bool {
        let x = ALIASES.iter().position(|alias| *alias == "x").unwrap();
        TOOLSETS[toolset] == "x"
            && self.aliases.get(&x).is_some_and(|target| TOOLSETS[*target] == ALIASES[alias])
    }

    fn register(&mut self, source: usize, tools: &Tools, whole: bool) -> Vec<String> {
        self.generation += 1;
        let denied = |tool: &(bool, usize)| tool.0 && !self.may_override(source);
        let granted: Tools = tools.iter().filter(|(_, tool)| !denied(tool)).map(|(n, t)| (*n, *t)).collect();
        let visible: BTreeMap<usize, Option<usize>> =
            tools.keys().map(|name| (*name, self.visible(*name))).collect();
        let since: BTreeMap<usize, usize> = self
            .claims
            .iter()
            .filter(|claim| claim.source == source)
            .map(|claim| (claim.name, claim.since))
            .collect();
        self.claims.retain(|claim| claim.source != source || (!whole && !granted.contains_key(&claim.name)));
        for (name, (overrides, toolset)) in &granted {
            let since = since.get(name).copied().unwrap_or(self.steps);
            let (name, overrides, toolset) = (*name, *overrides, *toolset);
            self.claims.push(Claim { source, name, overrides, toolset, since });
        }
        tools
            .iter()
            .map(|(name, (overrides, _))| {
                let outcome = if !granted.contains_key(name) {
                    "denied".to_owned()
                } else {
                    let claims = self.on(*name);
                    let own = claims.iter().find(|claim| claim.source == source).unwrap();
                    let hides = visible[name].filter(|owner| *owner != source).map(|owner| SOURCES[owner].1);
                    if claims[0].source != source {
                        format!("{} {}", self.behind(claims[0], own), SOURCES[claims[0].source].1)
                    } else if *overrides {
                        format!("overrides {hides:?}")
                    } else if visible[name] == Some(source) {
                        "replaced".to_owned()
                    } else {
                        format!("visible {hides:?}")
                    }
                };
                format!("{}: {outcome}", NAMES[*name])
            })
            .collect()
    }

    fn deregister(&mut self, source: usize, name: usize) -> Vec<String> {
        match self.visible(name) {
            None => Vec::new(),
            Some(_) if self.claims.iter().any(|claim| claim.source == source && claim.name == name) => {
                self.claims.retain(|claim| claim.source != source || claim.name != name);
                self.generation += 1;
                Vec::new()
            }
            Some(owner) => vec![format!("owned by {}", SOURCES[owner].1)],
        }
    }

    fn table(&self) -> Vec<String> {
        let mut names: Vec<usize> = (0..NAMES.len()).collect();
        names.sort_by_key(|name| NAMES[*name]);
        let mut rows = Vec::new();
        for name in names {
            let claims = self.on(name);
            for (at, claim) in claims.iter().enumerate() {
                let how = if at == 0 { "visible" } else { self.behind(claims[0], claim) };
                let (name, toolset, source) =
                    (NAMES[claim.name], TOOLSETS[claim.toolset], SOURCES[claim.source].1);
                rows.push(format!("{name} ({toolset}) of {source}: {how}"));
            }
        }
        rows
    }

    fn alias_table(&self) -> Vec<String> {
        let rows = self.aliases.iter();
        rows.map(|(alias, target)| format!("{} -> {}", ALIASES[*alias], TOOLSETS[*target])).collect()
    }
}

/// The same steps on a real table.
struct Real(Registry);

impl Real {
    fn new(rule: Rule) -> Self {
        let mcp_collision = match rule {
            Rule::First => McpCollision::First,
            Rule::Latest => McpCollision::Latest,
            Rule::Reject => McpCollision::Reject,
        };
        Real(Registry::with(RegistrySettings { mcp_collision, ..RegistrySettings::default() }))
    }

    fn source(at: usize) -> Source {
        let name = SOURCES[at].1;
        match SOURCES[at].0 {
            0 => Source::builtin(name),
            1 => {
                // Two in the first folder, in the order of their files; one in the second.
                let (folder, file) = [(0, "a.so"), (0, "b.so"), (1, "a.so")][at - 2];
                Source::plugin(name, folder, Path::new("/tools").join(file).as_path())
            }
            _ => Source::mcp(name, at),
        }
    }

    fn batch(source: usize, tools: &Tools) -> Batch {
        tools.iter().fold(Batch::new(Real::source(source)), |batch, (name, (overrides, toolset))| {
            let mut description = Description::new(NAMES[*name], TOOLSETS[*toolset], "A tool", "{}").unwrap();
            description.overrides = *overrides;
            batch.tool(description, |_, _| Ok(Output::text("")))
        })
    }

    fn step(&self, step: &Step) -> Vec<String> {
        let registry = &self.0;
        let published = match step {
            Step::Publish(source, tools) => registry.publish(Real::batch(*source, tools)).unwrap(),
            Step::Extend(source, tools) => registry.extend(Real::batch(*source, tools)).unwrap(),
            Step::Withdraw(source) => {
                registry.withdraw(&Real::source(*source).id);
                return Vec::new();
            }
            Step::Deregister(source, name) => {
                let refused = registry.deregister(&Real::source(*source).id, NAMES[*name]).err();
                return refused.iter().map(|owner| format!("owned by {}", owner.id.name)).collect();
            }
            Step::Policy(plugin, allow) => {
                registry.register_plugin_override_policy(SOURCES[*plugin].1, *allow);
                return Vec::new();
            }
            Step::Alias(alias, toolset) => {
                let told = registry.register_toolset_alias(ALIASES[*alias], TOOLSETS[*toolset]);
                return vec![told.map_or_else(
                    |_| "refused".to_owned(),
                    |old| format!("instead of {:?}", old.as_deref()),
                )];
            }
        };
        assert_eq!(published.generation, registry.generation());
        let told = published.outcomes.iter();
        told.map(|(name, claimed)| format!("{name}: {}", Real::outcome(registry, name, claimed))).collect()
    }

    fn outcome(registry: &Registry, name: &str, claimed: &Claimed) -> String {
        let hidden = |hides: &Option<std::sync::Arc<Source>>| {
            format!("{:?}", hides.as_ref().map(|source| &*source.id.name))
        };
        match claimed {
            Claimed::Visible { hides } => format!("visible {}", hidden(hides)),
            Claimed::Replaced => "replaced".to_owned(),
            Claimed::Override { hides } => format!("overrides {}", hidden(hides)),
            Claimed::Conflict { winner } => format!("conflict {}", winner.id.name),
            Claimed::Behind { winner } => {
                let overrides = registry.lookup(name).unwrap().description.overrides;
                format!("{} {}", if overrides { "override" } else { "collision" }, winner.id.name)
            }
            Claimed::PermissionDenied => "denied".to_owned(),
        }
    }
}

fn table(snapshot: &Snapshot) -> Vec<String> {
    let row = |entry: &crate::ToolEntry, how: &str| {
        format!("{} ({}) of {}: {how}", entry.name(), entry.toolset(), entry.source.id.name)
    };
    let mut rows = Vec::new();
    for entry in snapshot.tools() {
        rows.push(row(entry, "visible"));
        for hidden in snapshot.hidden().iter().filter(|hidden| hidden.entry.name() == entry.name()) {
            assert_eq!(hidden.by.id, entry.source.id);
            rows.push(row(
                &hidden.entry,
                match hidden.why {
                    HiddenBy::Override => "override",
                    HiddenBy::Conflict => "conflict",
                    HiddenBy::Collision => "collision",
                },
            ));
        }
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tables_generations_and_outcomes_are_the_models(
        rule in rule(),
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let (mut model, real) = (Model::new(rule), Real::new(rule));
        for (at, step) in steps.iter().enumerate() {
            prop_assert_eq!(real.step(step), model.step(step), "step {}: {:?}", at, step);
            let snapshot = real.0.snapshot();
            prop_assert_eq!(table(&snapshot), model.table(), "after step {}: {:?}", at, step);
            prop_assert_eq!(snapshot.generation(), model.generation, "after step {}: {:?}", at, step);
            let aliases: Vec<String> =
                snapshot.toolset_aliases().map(|(alias, target)| format!("{alias} -> {target}")).collect();
            prop_assert_eq!(aliases, model.alias_table(), "after step {}: {:?}", at, step);
            let toolsets: BTreeSet<&str> = snapshot.tools().iter().map(|entry| entry.toolset()).collect();
            prop_assert!(toolsets.iter().all(|toolset| snapshot.tools_in(toolset).is_some()));
        }
    }

    #[test]
    fn any_order_of_the_same_registrations_gives_the_same_table(
        reject in any::<bool>(),
        allowed in prop::collection::vec(any::<bool>(), SOURCES.len()),
        (batches, shuffled) in prop::collection::vec(tools(), SOURCES.len()).prop_flat_map(|batches| {
            let order: Vec<usize> = (0..SOURCES.len()).collect();
            (Just(batches), Just(order).prop_shuffle())
        }),
    ) {
        let rule = if reject { Rule::Reject } else { Rule::First };
        let registered = |order: &[usize]| {
            let real = Real::new(rule);
            for (source, allow) in allowed.iter().enumerate() {
                real.step(&Step::Policy(source, *allow));
            }
            for source in order {
                real.step(&Step::Publish(*source, batches[*source].clone()));
            }
            table(&real.0.snapshot())
        };
        let order: Vec<usize> = (0..SOURCES.len()).collect();
        prop_assert_eq!(registered(&shuffled), registered(&order), "order {:?}", shuffled);
    }
}
