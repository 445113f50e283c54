//! Tasks beside the conversation: what is said when they end or are stopped (PROTOCOL 8).

use serde_json::{Value, json};

use crate::cli::{Cli, Played};

impl Cli {
    pub fn stop_foreground_tasks(&mut self) -> Played {
        let running: Vec<String> = self
            .track
            .tasks
            .iter()
            .filter(|(_, task)| !task.background)
            .map(|(id, _)| id.clone())
            .collect();
        for id in running {
            self.stop_task(&id, "killed")?;
        }
        Ok(())
    }

    /// Ends a running task before its time; one that is not running is left alone.
    pub fn stop_task(&mut self, id: &str, status: &str) -> Played {
        let Some(task) = self.track.tasks.get(id).cloned() else {
            return Ok(());
        };
        self.task_updated(id, status)?;
        let fields = json!({"task_id": id, "run_id": task.run_id, "tool_use_id": task.call, "status": "stopped", "output_file": "", "summary": task.description});
        let line = self.system("task_notification", fields);
        self.say(&line)?;
        if task.background {
            self.background_tasks()
        } else {
            Ok(())
        }
    }

    pub fn task_updated(&mut self, id: &str, status: &str) -> Played {
        let run_id = self.track.tasks.get(id).map(|task| task.run_id.clone());
        let patch = json!({"status": status, "end_time": jiff::Timestamp::now().as_millisecond()});
        let line = self.system(
            "task_updated",
            json!({"task_id": id, "run_id": run_id, "patch": patch}),
        );
        self.say(&line)
    }

    /// Says which tasks run in the background now.
    pub fn background_tasks(&mut self) -> Played {
        let running: Vec<Value> = self
            .track
            .tasks
            .iter()
            .filter(|(_, task)| task.background)
            .map(|(id, task)| json!({"task_id": id, "run_id": task.run_id, "task_type": task.kind, "description": task.description}))
            .collect();
        let line = self.system("background_tasks_changed", json!({"tasks": running}));
        self.say(&line)
    }
}
