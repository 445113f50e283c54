// The one list of commands: the bridge and the permission system both read it, `build.rs` by `include!`.
macro_rules! with_commands {
    ($then:ident) => {
        $then! {
            app_info, subscribe, ack, watch_session, unwatch_session,
            start_session, start_rehearsal, send_prompt, stop_session, resume_session, remove_session,
            answer_permission,
            open_session, session_slice, fork_session, retry_turn, relocate_session, recreate_folder,
            archive_session, delete_session, export_session, search_sessions,
            find_in_session, session_mark, tool_output, find_in_output, output_text, save_output,
            rewind_preview, rewind_session, redo_rewind,
            interrupt, set_permission_mode, set_model, set_effort, set_thinking, context_usage, usage, permission_rules,
            stop_task, background_tasks, rename_session, generate_title, cancel_prompt,
            file_suggestions, reload,
            mcp_servers, save_mcp_servers, mcp_status, mcp_toggle, mcp_reconnect,
            git_changes, git_diff, git_stage, git_commit, commit_draft, watch_workspace,
            file_sides, revert_preview, revert_changes, editors, open_in_editor,
            raw_lines, save_report,
            find_cli, settings, save_settings, pick_folder, pick_file, open_path, open_url, workspace_image,
            open_window, answer_close, quit_app
        }
    };
}
