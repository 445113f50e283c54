//! The order in which the lines of a session file and of its subagents' files are told: that in which they were said.

use std::collections::{HashMap, HashSet};

use super::branch;
use super::entry::{Entry, Key};

/// A file of lines, or a part of one, that a subagent said.
#[derive(Debug, Default)]
pub(crate) struct Sidechain {
    pub entries: Vec<Entry>,
    /// The call that runs it, as its own description names it.
    pub call: Option<Key>,
    pub agent: Option<Key>,
}

/// One line to tell: of the session's own file, or of the sidechain with this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub sidechain: Option<u32>,
    pub entry: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub steps: Vec<Step>,
    /// The id of the call that runs each sidechain.
    pub calls: Vec<Option<String>>,
}

impl Plan {
    pub fn new(main: &[Entry], sidechains: &[&Sidechain]) -> Self {
        let active = branch::active(main);
        let (main_of, calls) = owners(main, &active, sidechains);
        let mut making = Making {
            sidechains,
            owners: main_of,
            open: Vec::new(),
            told: vec![0; sidechains.len()],
            steps: Vec::new(),
        };
        let mut now = 0;
        for at in active {
            let entry = &main[at];
            now = now.max(entry.at);
            making.tell_before(now);
            making.end(entry);
            making.steps.push(Step {
                sidechain: None,
                entry: at as u32,
            });
            making.begin(entry);
        }
        making.tell_before(i64::MAX);
        Self {
            steps: making.steps,
            calls,
        }
    }
}

/// Which call runs which sidechain, by their numbers, and the other way round by the call's id.
fn owners(
    main: &[Entry],
    active: &[usize],
    sidechains: &[&Sidechain],
) -> (HashMap<Key, Vec<usize>>, Vec<Option<String>>) {
    let own = active.iter().map(|at| &main[*at]);
    let inner = sidechains.iter().flat_map(|chain| &chain.entries);
    let all: Vec<&Entry> = own.chain(inner).collect();
    let mut ids: HashMap<Key, &str> = HashMap::new();
    let mut prompts: HashMap<Key, Vec<Key>> = HashMap::new();
    let mut agents: HashMap<Key, Key> = HashMap::new();
    for entry in &all {
        for call in &entry.calls {
            ids.insert(call.key, &call.id);
            if let Some(prompt) = call.prompt {
                prompts.entry(prompt).or_default().push(call.key);
            }
        }
        if let (Some(agent), [call, ..]) = (entry.agent, &entry.results[..]) {
            agents.insert(agent, *call);
        }
    }
    let mut taken: HashSet<Key> = HashSet::new();
    let mut owner: Vec<Option<Key>> = sidechains
        .iter()
        .map(|chain| {
            let by_result = || agents.get(chain.agent.as_ref()?).copied();
            let call = chain.call.filter(|call| ids.contains_key(call));
            let call = call.or_else(by_result);
            taken.extend(call);
            call
        })
        .collect();
    // An agent that is not done, or of an old version, is known by what it was given.
    for (chain, owner) in sidechains.iter().zip(&mut owner) {
        if owner.is_none()
            && let Some(prompt) = chain.entries.first().and_then(|entry| entry.text)
            && let Some(calls) = prompts.get(&prompt)
        {
            *owner = calls.iter().find(|call| taken.insert(**call)).copied();
        }
    }
    let mut by_call: HashMap<Key, Vec<usize>> = HashMap::new();
    for (number, owner) in owner.iter().enumerate() {
        if let Some(call) = owner {
            by_call.entry(*call).or_default().push(number);
        }
    }
    let calls = owner
        .iter()
        .map(|call| Some((*ids.get(&(*call)?)?).to_owned()));
    (by_call, calls.collect())
}

struct Making<'a> {
    sidechains: &'a [&'a Sidechain],
    owners: HashMap<Key, Vec<usize>>,
    /// Sidechains whose call has begun.
    open: Vec<usize>,
    /// How many lines of each were told.
    told: Vec<usize>,
    steps: Vec<Step>,
}

impl Making<'_> {
    /// Tells what the open sidechains said before this time, in the order in which they said it.
    fn tell_before(&mut self, time: i64) {
        loop {
            let said = |number: &usize| {
                let entry = self.sidechains[*number].entries.get(self.told[*number])?;
                Some((entry.at, *number))
            };
            let first = self.open.iter().filter_map(said).min();
            match first.filter(|(at, _)| *at < time) {
                Some((_, number)) => self.tell(number),
                None => return,
            }
        }
    }

    fn tell(&mut self, number: usize) {
        let at = self.told[number];
        self.told[number] += 1;
        self.steps.push(Step {
            sidechain: Some(number as u32),
            entry: at as u32,
        });
        let entry = &self.sidechains[number].entries[at];
        self.end(entry);
        self.begin(entry);
    }

    /// The calls of this line begin, and with them what they run.
    fn begin(&mut self, entry: &Entry) {
        for call in &entry.calls {
            for number in self.owners.get(&call.key).into_iter().flatten() {
                if !self.open.contains(number) && self.told[*number] == 0 {
                    self.open.push(*number);
                }
            }
        }
    }

    /// This line has the result of a call: all that ran in it was said before.
    fn end(&mut self, entry: &Entry) {
        if let Some(task) = entry.ended {
            let of_task = |number: &usize| self.sidechains[*number].agent == Some(task);
            if let Some(number) = self.open.iter().copied().find(of_task) {
                self.tell_all(number);
            }
        }
        if entry.goes_on {
            return;
        }
        for call in &entry.results {
            for number in self.owners.get(call).cloned().unwrap_or_default() {
                self.tell_all(number);
            }
        }
    }

    fn tell_all(&mut self, number: usize) {
        while self.open.contains(&number)
            && self.told[number] < self.sidechains[number].entries.len()
        {
            self.tell(number);
        }
        self.open.retain(|open| *open != number);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::entry::{self, key};
    use super::super::lines::Found;
    use super::*;

    fn read(lines: &[&str]) -> Vec<Entry> {
        let mut entries = Vec::new();
        for line in lines {
            entry::of(0, Found::Line(line.as_bytes()), &mut |entry| {
                entries.push(entry)
            });
        }
        assert_eq!(entries.len(), lines.len());
        entries
    }

    /// `a` for the first line of the session's file, `0a` for that of the first sidechain.
    fn told(main: &[&str], sidechains: &[Sidechain]) -> String {
        let sidechains: Vec<_> = sidechains.iter().collect();
        let plan = Plan::new(&read(main), &sidechains);
        let name = |step: &Step| {
            let letter = char::from(b'a' + step.entry as u8);
            step.sidechain
                .map_or(letter.to_string(), |number| format!("{number}{letter}"))
        };
        plan.steps.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    fn line(second: u32, rest: &str) -> String {
        format!(r#"{{"timestamp":"2026-11-30T10:00:{second:02}.000Z",{rest}}}"#)
    }

    fn call(second: u32, uuid: &str, parent: &str, call: &str, prompt: &str) -> String {
        line(
            second,
            &format!(
                r#""type":"assistant","uuid":"{uuid}","parentUuid":"{parent}","message":{{"id":"m{uuid}","content":[{{"type":"tool_use",
            "id":"{call}","name":"Agent","input":{{"prompt":"{prompt}"}}}}]}}"#
            ),
        )
    }

    fn result(second: u32, uuid: &str, parent: &str, call: &str, data: &str) -> String {
        line(
            second,
            &format!(
                r#""type":"user","uuid":"{uuid}","parentUuid":"{parent}","toolUseResult":{data},"message":{{"content":[{{
            "type":"tool_result","tool_use_id":"{call}"}}]}}"#
            ),
        )
    }

    fn said(seconds: &[u32], prompt: &str) -> Sidechain {
        let lines: Vec<String> = seconds
            .iter()
            .map(|second| line(*second, &format!(
                r#""type":"user","uuid":"s{second}","isSidechain":true,"message":{{"content":"{prompt}"}}"#
            )))
            .collect();
        Sidechain {
            entries: read(&lines.iter().map(String::as_str).collect::<Vec<_>>()),
            ..Sidechain::default()
        }
    }

    #[test]
    fn a_subagent_speaks_between_its_call_and_its_result() {
        let main = [
            call(1, "a", "null", "t1", "count"),
            result(5, "b", "a", "t1", "{}"),
        ];
        let main: Vec<&str> = main.iter().map(String::as_str).collect();
        // Whatever its clock says.
        assert_eq!(told(&main, &[said(&[0, 3, 9], "count")]), "a 0a 0b 0c b");
        assert_eq!(told(&main[..1], &[said(&[2, 3], "count")]), "a 0a 0b");
    }

    #[test]
    fn agents_are_told_apart_by_their_call_their_result_and_what_they_were_given() {
        let main = [
            call(1, "a", "null", "t1", "same"),
            call(2, "b", "a", "t2", "same"),
            result(8, "c", "b", "t2", r#"{"agentId":"two"}"#),
        ];
        let main: Vec<&str> = main.iter().map(String::as_str).collect();
        let mut second = said(&[3], "same");
        second.agent = Some(key("two"));
        let first = said(&[4], "same");
        assert_eq!(told(&main, &[second, first]), "a b 0a 1a c");
        let mut named = said(&[3], "other words");
        named.call = Some(key("t1"));
        assert_eq!(told(&main, &[named]), "a b 0a c");
        assert_eq!(told(&main, &[said(&[3], "of no call")]), "a b c");
    }

    #[test]
    fn an_agent_in_the_background_speaks_when_it_does_and_is_done_before_that_is_told() {
        let notice = line(
            9,
            r#""type":"user","uuid":"d","parentUuid":"c","message":{"content":
            "<task-notification>\n<task-id>bg</task-id>\n</task-notification>"}"#,
        );
        let main = [
            call(1, "a", "null", "t1", "count"),
            result(2, "b", "a", "t1", r#"{"agentId":"bg","isAsync":true}"#),
            line(
                5,
                r#""type":"assistant","uuid":"c","parentUuid":"b","message":{}"#,
            ),
            notice,
        ];
        let main: Vec<&str> = main.iter().map(String::as_str).collect();
        let mut agent = said(&[3, 6, 20], "count");
        agent.agent = Some(key("bg"));
        assert_eq!(told(&main, &[agent]), "a b 0a c 0b 0c d");
    }
}
