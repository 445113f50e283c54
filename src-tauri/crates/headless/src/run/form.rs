//! What an MCP server wants to know, as fields that are asked for one by one (PROTOCOL 6.7). No I/O.

use serde_json::{Map, Value, json};

/// A server's question.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    pub id: String,
    pub server: String,
    pub message: String,
    /// An address to be opened, in the place of fields.
    pub url: Option<String>,
    fields: Vec<Field>,
}

#[derive(Debug, Clone, PartialEq)]
struct Field {
    name: String,
    title: String,
    kind: Kind,
    required: bool,
    default: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Text,
    Number,
    Whole,
    YesNo,
    /// Values and what they are called.
    Choice(Vec<(Value, String)>),
}

impl Form {
    /// Reads the data of a notice `elicitation`.
    pub fn read(message: &str, data: &Value) -> Option<Self> {
        let text = |name: &str| data.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            id: text("request_id")?,
            server: text("mcp_server_name").unwrap_or_else(|| "an MCP server".to_owned()),
            message: message.to_owned(),
            url: text("url"),
            fields: fields(data),
        })
    }

    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// What to print before the field with this number is read.
    pub fn prompt(&self, number: usize) -> String {
        let Some(field) = self.fields.get(number) else {
            return "answer > ".to_owned();
        };
        let mut all = field.title.clone();
        let hint = match &field.kind {
            Kind::Choice(choices) => {
                all.push('\n');
                for (place, (_, label)) in choices.iter().enumerate() {
                    all.push_str(&format!("  {}. {label}\n", place + 1));
                }
                "a number"
            }
            Kind::YesNo => " (y or n",
            Kind::Number => " (a number",
            Kind::Whole => " (a whole number",
            Kind::Text => " (text",
        };
        all.push_str(hint);
        match &field.default {
            Some(default) => all.push_str(&format!(", nothing for {}", shown(default))),
            None if !field.required => all.push_str(", nothing to leave it out"),
            None => {}
        }
        all.push_str(if hint.starts_with(" (") {
            ") > "
        } else {
            " > "
        });
        all
    }

    /// Takes a line for the field with this number into the content.
    ///
    /// # Errors
    /// Why it is no answer.
    pub fn take(
        &self,
        number: usize,
        line: &str,
        content: &mut Map<String, Value>,
    ) -> Result<(), String> {
        let Some(field) = self.fields.get(number) else {
            return Ok(());
        };
        let value = if line.is_empty() {
            match &field.default {
                Some(default) => Some(default.clone()),
                None if field.required => return Err("an answer is needed".to_owned()),
                None => None,
            }
        } else {
            Some(field.kind.value(line)?)
        };
        content.extend(value.map(|value| (field.name.clone(), value)));
        Ok(())
    }

    /// An answer that nobody gave, for a rehearsal.
    pub fn first_answers(&self) -> Value {
        let answer = |field: &Field| {
            let made_up = match &field.kind {
                Kind::Text => json!("rehearsal"),
                Kind::Number | Kind::Whole => json!(1),
                Kind::YesNo => json!(true),
                Kind::Choice(choices) => choices.first()?.0.clone(),
            };
            let value = field.default.clone().unwrap_or(made_up);
            Some((field.name.clone(), value))
        };
        Value::Object(self.fields.iter().filter_map(answer).collect())
    }
}

impl Kind {
    fn value(&self, line: &str) -> Result<Value, String> {
        match self {
            Self::Text => Ok(json!(line)),
            Self::Whole => match line.parse::<i64>() {
                Ok(number) => Ok(json!(number)),
                Err(_) => Err("a whole number".to_owned()),
            },
            Self::Number => match line.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(json!(number)),
                _ => Err("a number".to_owned()),
            },
            Self::YesNo => match line.to_ascii_lowercase().as_str() {
                "y" | "yes" | "true" => Ok(json!(true)),
                "n" | "no" | "false" => Ok(json!(false)),
                _ => Err("y or n".to_owned()),
            },
            Self::Choice(choices) => {
                let by_number = || line.parse::<usize>().ok()?.checked_sub(1);
                let chosen = by_number()
                    .and_then(|place| choices.get(place))
                    .or_else(|| choices.iter().find(|(_, label)| label == line));
                match chosen {
                    Some((value, _)) => Ok(value.clone()),
                    None => Err("one of the numbers".to_owned()),
                }
            }
        }
    }
}

/// The fields of the schema: in the order that was given apart, for JSON objects have none.
fn fields(data: &Value) -> Vec<Field> {
    let schema = &data["requested_schema"];
    let Some(properties) = schema["properties"].as_object() else {
        return Vec::new();
    };
    let listed = data["property_order"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let mut names: Vec<&str> = listed
        .iter()
        .filter_map(Value::as_str)
        .filter(|name| properties.contains_key(*name))
        .collect();
    for name in properties.keys() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let required = |name: &str| {
        let list = schema["required"].as_array();
        list.is_some_and(|list| list.iter().any(|one| one == name))
    };
    names
        .into_iter()
        .map(|name| {
            let property = &properties[name];
            let title = ["title", "description"]
                .iter()
                .find_map(|key| property[*key].as_str());
            Field {
                name: name.to_owned(),
                title: title.unwrap_or(name).to_owned(),
                kind: kind(property),
                required: required(name),
                default: property
                    .get("default")
                    .filter(|one| !one.is_null())
                    .cloned(),
            }
        })
        .collect()
}

fn kind(property: &Value) -> Kind {
    let list = |name: &str| property[name].as_array().cloned().unwrap_or_default();
    let (values, names) = (list("enum"), list("enumNames"));
    let mut choices: Vec<(Value, String)> = values
        .into_iter()
        .enumerate()
        .map(|(place, value)| {
            let label = names.get(place).and_then(Value::as_str).map(str::to_owned);
            (value.clone(), label.unwrap_or_else(|| shown(&value)))
        })
        .collect();
    for option in list("oneOf") {
        if let Some(value) = option.get("const") {
            let label = option["title"].as_str().map(str::to_owned);
            choices.push((value.clone(), label.unwrap_or_else(|| shown(value))));
        }
    }
    match property["type"].as_str() {
        _ if !choices.is_empty() => Kind::Choice(choices),
        Some("boolean") => Kind::YesNo,
        Some("integer") => Kind::Whole,
        Some("number") => Kind::Number,
        _ => Kind::Text,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn form() -> Form {
        let data = json!({
            "request_id": "e1", "mcp_server_name": "lab", "mode": "form",
            "requested_schema": {
                "type": "object",
                "properties": {
                    "count": { "type": "integer", "default": 3 },
                    "city": { "type": "string", "title": "Which city?" },
                    "size": { "type": "string", "enum": ["s", "l"], "enumNames": ["Small", "Large"] },
                    "really": { "type": "boolean" },
                },
                "required": ["city", "size"],
            },
            "property_order": ["city", "size"],
        });
        Form::read("Please say", &data).unwrap()
    }

    #[test]
    fn the_fields_of_a_schema_are_asked_in_its_order_and_read_by_their_types() {
        let form = form();
        assert_eq!(form.len(), 4);
        assert!(form.prompt(0).starts_with("Which city?"));
        assert!(form.prompt(1).contains("2. Large"), "{}", form.prompt(1));
        assert!(form.prompt(2).contains("nothing for 3"));
        let mut content = Map::new();
        for (number, line) in ["Ulm", "2", "", "n"].iter().enumerate() {
            form.take(number, line, &mut content).unwrap();
        }
        assert_eq!(
            Value::Object(content),
            json!({ "city": "Ulm", "size": "l", "count": 3, "really": false })
        );
    }

    #[test]
    fn what_does_not_fit_is_asked_again_and_what_is_not_needed_can_stay_out() {
        let form = form();
        let mut content = Map::new();
        for (number, line) in [(0, ""), (1, "3"), (2, "1.5"), (3, "perhaps")] {
            assert!(form.take(number, line, &mut content).is_err(), "{line}");
        }
        form.take(3, "", &mut content).unwrap();
        assert!(content.is_empty());
    }

    #[test]
    fn a_rehearsal_answers_with_something_of_each_type() {
        assert_eq!(
            form().first_answers(),
            json!({ "city": "rehearsal", "size": "s", "count": 3, "really": true })
        );
    }
}
