// The one list of commands: the bridge and the permission system both read it, `build.rs` by `include!`.
macro_rules! with_commands {
    ($then:ident) => {
        $then! {
            app_info, subscribe, ack, watch_session, unwatch_session,
            start_session, start_rehearsal, send_prompt, interrupt, stop_session, resume_session, remove_session,
            answer_permission, set_permission_mode, set_model,
            find_cli, settings, save_settings, pick_folder, pick_file, open_path, open_url
        }
    };
}
