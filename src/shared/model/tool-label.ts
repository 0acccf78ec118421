/** What people read of a tool: its name while it is asked about or runs, and what a call has done once it is done. */
interface ToolWords {
  label: string
  done: string
}

/** Of every built-in tool whose name is not what people would say. `Read`, `Bash` and their like are words as they are. */
const WORDS: Readonly<Record<string, ToolWords>> = {
  apply_patch: { label: 'Patch', done: 'Patch' },
  AskUserQuestion: { label: 'Question', done: 'Asked you' },
  CreateSubagent: { label: 'Define subagent', done: 'Defined subagent' },
  EnterPlanMode: { label: 'Plan mode', done: 'Started planning' },
  ExitPlanMode: { label: 'Plan', done: 'Planned' },
  FetchURL: { label: 'Fetch page', done: 'Read page' },
  ListDirectory: { label: 'List folder', done: 'Listed folder' },
  ReadMediaFile: { label: 'Look at image', done: 'Looked at image' },
  SendDMail: { label: 'Go back', done: 'Went back' },
  TaskList: { label: 'List tasks', done: 'Listed tasks' },
  TaskOutput: { label: 'Check task', done: 'Checked task' },
  TaskStop: { label: 'Stop task', done: 'Stopped task' },
  TodoList: { label: 'To-dos', done: 'Updated to-dos' },
  tool_search: { label: 'Find tools', done: 'Found tools' },
  WebSearch: { label: 'Search the web', done: 'Searched the web' },
}

/** What people read instead of a tool's name: `tracker · create_issue` for `mcp__tracker__create_issue`, `List folder` for `ListDirectory`. */
export function toolLabel(name: string): string {
  // No server's part of a name has two underscores in a row (engine/mcp/tool/tool-names.ts).
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  if (server !== undefined && tool !== undefined) return `${server} · ${tool}`
  return wordsOf(name)?.label ?? name
}

/** What a call that went well is called from then on: `Planned`, `Updated to-dos`. */
export function doneLabel(name: string): string {
  return wordsOf(name)?.done ?? toolLabel(name)
}

function wordsOf(name: string): ToolWords | undefined {
  return Object.hasOwn(WORDS, name) ? WORDS[name] : undefined
}
