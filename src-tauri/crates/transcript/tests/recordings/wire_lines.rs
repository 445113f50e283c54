//! Every recorded line is a typed message, in both directions.

use kandev_wire::{ControlBody, FromCli, SystemBody, ToCli};

use crate::form::processes;

#[test]
fn every_line_of_the_cli_is_a_message_that_is_known() {
    for process in processes() {
        for line in process.out() {
            let json = line.to_string();
            let line = kandev_wire::read(json.as_bytes());
            let known = match line.from_cli().unwrap() {
                FromCli::Unknown => false,
                FromCli::System(system) => !matches!(system.body, SystemBody::Unknown),
                FromCli::ControlRequest(request) => !matches!(
                    request.request,
                    ControlBody::Unknown { .. } | ControlBody::Missing
                ),
                _ => true,
            };
            assert!(known, "{}: {json:.200}", process.name);
        }
    }
}

#[test]
fn every_line_of_the_host_is_a_message_unless_it_was_written_to_be_none() {
    for process in processes() {
        for record in process.records.iter().filter(|record| record.dir == "in") {
            let json = record.line.to_string();
            let line = kandev_wire::read(json.as_bytes());
            let known = !matches!(line.to_cli().unwrap(), ToCli::Unknown);
            assert_eq!(
                known,
                record.line.get("__raw__").is_none(),
                "{}: {json:.200}",
                process.name
            );
        }
    }
}
