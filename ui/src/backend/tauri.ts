// The real backend: the generated commands and one channel. Everything that crosses does so here; what it means is known
// elsewhere.
import { Channel } from '@tauri-apps/api/core';
import { commands, type StreamMsg } from '../bindings/bindings';
import type { Backend, CommandError, Feed } from './backend';
import { Stream } from './stream';

type Outcome<T> = { status: 'ok'; data: T } | { status: 'error'; error: unknown };

/** Unwraps a command's outcome. The permission system, and a command that is unknown, reject with a plain string. */
async function take<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  let result: Outcome<T>;
  try {
    result = await outcome;
  } catch (thrown) {
    throw commandError(thrown);
  }
  if (result.status === 'error') throw commandError(result.error);
  return result.data;
}

export function commandError(thrown: unknown): CommandError {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'message' in thrown) {
    return { code: String(thrown.code), message: String(thrown.message) };
  }
  return { code: 'bridge', message: thrown instanceof Error ? thrown.message : String(thrown) };
}

export function tauriBackend(): Backend {
  let subscription = 0;
  let stream: Stream | null = null;

  return {
    appInfo: () => take(commands.appInfo()),

    async subscribe(feed: Feed) {
      stream?.close();
      const opened = new Stream(feed, (count) => void take(commands.ack(subscription, count)).catch(() => undefined));
      stream = opened;
      const channel = new Channel<StreamMsg>();
      channel.onmessage = (message) => opened.receive(message);
      subscription = await take(commands.subscribe(channel));
      opened.start();
      await opened.listed;
    },

    open: (session, at) => take(commands.openSession(session, at)),
    slice: (session, where) =>
      take(
        'before' in where
          ? commands.sessionSlice(session, where.before, null)
          : commands.sessionSlice(session, null, where.after),
      ),

    async watch(session, afterSeq) {
      stream?.expect(session, afterSeq);
      await take(commands.watchSession(subscription, session, afterSeq));
    },

    async unwatch(session) {
      stream?.forget(session);
      await take(commands.unwatchSession(subscription, session));
    },

    startSession: (request, first) => take(commands.startSession(request, first)),
    startRehearsal: () => take(commands.startRehearsal()),
    sendPrompt: (session, text, images) => nothing(commands.sendPrompt(session, text, images)),
    interrupt: (session, cancelQueued) => take(commands.interrupt(session, cancelQueued)),
    cancelPrompt: (session, uuid) => take(commands.cancelPrompt(session, uuid)),
    stopSession: (session) => nothing(commands.stopSession(session)),
    resumeSession: (session) => take(commands.resumeSession(session)),
    forkSession: (session, at) => take(commands.forkSession(session, at)),
    retryTurn: (session, at, text, images) => nothing(commands.retryTurn(session, at, text, images)),
    relocateSession: (session, folder) => take(commands.relocateSession(session, folder)),
    recreateFolder: (session) => nothing(commands.recreateFolder(session)),
    archiveSession: (session, archived) => nothing(commands.archiveSession(session, archived)),
    deleteSession: (session, cliFile) => nothing(commands.deleteSession(session, cliFile)),
    exportSession: (session, format) => take(commands.exportSession(session, format)),
    searchSessions: (words, limit) => take(commands.searchSessions(words, limit)),
    findInSession: (session, words, after, limit) => take(commands.findInSession(session, words, after, limit)),
    sessionMark: (session, what, from, back) => take(commands.sessionMark(session, what, from, back)),
    rewindPreview: (session, messageUuid) => take(commands.rewindPreview(session, messageUuid)),
    rewindSession: (session, messageUuid) => take(commands.rewindSession(session, messageUuid)),
    redoRewind: (session, snapshot) => take(commands.redoRewind(session, snapshot)),
    openWindow: (session) => nothing(commands.openWindow(session)),
    answerClose: (choice, remember) => nothing(commands.answerClose(choice, remember)),
    quitApp: () => nothing(commands.quitApp()),
    removeSession: (session) => nothing(commands.removeSession(session)),
    answerPermission: (session, pendingId, decision) =>
      nothing(commands.answerPermission(session, pendingId, decision)),
    setPermissionMode: (session, mode) => nothing(commands.setPermissionMode(session, mode)),
    setModel: (session, model) => nothing(commands.setModel(session, model)),
    setEffort: (session, effort) => nothing(commands.setEffort(session, effort)),
    setThinking: (session, maxTokens) => nothing(commands.setThinking(session, maxTokens)),
    renameSession: (session, title) => nothing(commands.renameSession(session, title)),
    generateTitle: (session) => take(commands.generateTitle(session)),

    contextUsage: (session) => take(commands.contextUsage(session)),
    usage: (session) => take(commands.usage(session)),
    stopTask: (session, taskId) => nothing(commands.stopTask(session, taskId)),
    backgroundTasks: (session, toolCallId) => nothing(commands.backgroundTasks(session, toolCallId)),
    toolOutput: (session, source, from, count) => take(commands.toolOutput(session, source, from, count)),
    findInOutput: (session, source, words, limit) => take(commands.findInOutput(session, source, words, limit)),
    outputText: (session, source) => take(commands.outputText(session, source)),
    saveOutput: (session, source) => take(commands.saveOutput(session, source)),
    rawLines: (session, after, limit) => take(commands.rawLines(session, after, limit)),
    saveReport: (session) => take(commands.saveReport(session)),

    mcpServers: () => take(commands.mcpServers()),
    saveMcpServers: (servers) => take(commands.saveMcpServers(servers)),
    mcpStatus: (session) => take(commands.mcpStatus(session)),
    mcpToggle: (session, name, enabled) => nothing(commands.mcpToggle(session, name, enabled)),
    mcpReconnect: (session, name) => nothing(commands.mcpReconnect(session, name)),

    findCli: () => take(commands.findCli()),
    settings: () => take(commands.settings()),
    saveSettings: (settings) => take(commands.saveSettings(settings)),
    pickFolder: () => take(commands.pickFolder()),
    pickFile: () => take(commands.pickFile()),
    openPath: (session, path) => nothing(commands.openPath(session, path)),
    openUrl: (url) => nothing(commands.openUrl(url)),
    workspaceImage: (session, path) => take(commands.workspaceImage(session, path)),

    gitChanges: (session) => take(commands.gitChanges(session)),
    gitDiff: (session, path) => take(commands.gitDiff(session, path)),
    gitStage: (session, paths, on) => nothing(commands.gitStage(session, paths, on)),
    gitCommit: (session, message) => take(commands.gitCommit(session, message)),
    commitDraft: (session) => take(commands.commitDraft(session)),
    watchWorkspace: (session, on) => take(commands.watchWorkspace(session, on)),
    fileSides: (session, path, diff) => take(commands.fileSides(session, path, diff)),
    revertPreview: (session, path, diff, hunks) => take(commands.revertPreview(session, path, diff, hunks)),
    revertChanges: (session, path, diff, hunks) => take(commands.revertChanges(session, path, diff, hunks)),
    editors: () => take(commands.editors()),
    openInEditor: (session, path, line, column, editor) =>
      nothing(commands.openInEditor(session, path, line, column, editor)),
  };
}

async function nothing(outcome: Promise<Outcome<null>>): Promise<void> {
  await take(outcome);
}
